// Results as the options want them told.
#include "report.hpp"

#include <fmt/format.h>

#include "array_text.hpp"
#include "describe_text.hpp"
#include "engine_text.hpp"
#include "json_text.hpp"
#include "npy_output.hpp"
#include "standard_output.hpp"

namespace multifold::app {
namespace {

std::string text_of(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result,
                    bool alone) {
  const notation how = arguments.hex ? notation::hex : notation::decimal;
  const bool described = arguments.op == op_kind::describe;
  const std::string value = (described ? describe_text(result, how) : array_text(result, how)) + "\n";
  if (alone) return value;
  return label_of(operands) + (result.extents.empty() && !described ? ": " : ":\n") + value;
}

}  // namespace

void write_output(const reduce_arguments& arguments, const reduce_result& result, interrupt_watch& watch) {
  if (arguments.output.empty()) return;
  const last_words words(watch, [&arguments] {
    remove_unfinished(arguments.output);
    complain(label_of(arguments.output) + ": interrupted; nothing was written");
  });
  try {
    write_npy(arguments.output, result.type, result.extents, result.data);
  } catch (...) {
    throw failure_of(std::current_exception(), label_of(arguments.output));
  }
}

void report(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result,
            std::size_t results) {
  if (arguments.explain && !arguments.files.empty()) {
    // A stream of unknown length is planned as one element.
    const bool known = result.used.form.elements() == result.count;
    print_aside(explain(result.used) +
                engine_line(engine_for(result.used, known ? result.count : -1, operands, arguments.how)) +
                share_line(result) + memory_line(result) + (result.note.empty() ? "" : result.note + "\n"));
  }
  if (arguments.json) {
    const state_arguments& states = arguments.states;
    return print(result_json(result, {operands, arguments.output, states.merge, states.save}) + "\n");
  }
  if (!arguments.output.empty()) return;
  print(text_of(arguments, operands, result, results == 1));
  if (elements_of(result) > most_elements_shown) {
    const bool described = arguments.op == op_kind::describe;
    complain(fmt::format("{}: {} results, shortened here; {} gives them all", label_of(operands), elements_of(result),
                         described ? "--json" : "-o OUT.npy or --json"));
  }
}

}  // namespace multifold::app
