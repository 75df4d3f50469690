// Results as the options want them told.
#include "report.hpp"

#include <fmt/format.h>

#include "array_text.hpp"
#include "common/standard_output.hpp"
#include "describe_text.hpp"
#include "engine_text.hpp"
#include "json_text.hpp"
#include "npy_output.hpp"

namespace multifold::app {
namespace {

void print_text(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result,
                bool alone, text_output& out) {
  const notation how = arguments.hex ? notation::hex : notation::decimal;
  const bool described = arguments.op == op_kind::describe;
  if (!alone) out << label_of(operands) << (result.extents.empty() && !described ? ": " : ":\n");
  if (described) print_description(result, how, out);
  else print_array(result, how, out);
  out << "\n";
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
  text_output out;
  if (arguments.json) {
    const state_arguments& states = arguments.states;
    print_result_json(result, {operands, arguments.output, states.merge, states.save}, out);
    out << "\n";
    return out.flush();
  }
  if (!arguments.output.empty()) return;
  print_text(arguments, operands, result, results == 1, out);
  out.flush();
  if (elements_of(result) > most_elements_shown) {
    const bool described = arguments.op == op_kind::describe;
    complain(fmt::format("{}: {} results, shortened here; {} gives them all", label_of(operands), elements_of(result),
                         described ? "--json" : "-o OUT.npy or --json"));
  }
}

}  // namespace multifold::app
