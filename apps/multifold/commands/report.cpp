// Results as the options want them told.
#include "commands/report.hpp"

#include <fmt/format.h>

#include "commands/files/result_file.hpp"
#include "common/complaint.hpp"
#include "common/standard_output.hpp"
#include "text/engine_text.hpp"
#include "text/json_text.hpp"
#include "text/values/array_text.hpp"
#include "text/values/describe_text.hpp"

namespace multifold::app {
namespace {

// Results have the names of their operations, unless they are made of several, or by a fold.
result_files files_of(const reduce_arguments& arguments, const operand_files& operands, const std::string& output) {
  const state_arguments& states = arguments.states;
  const std::optional<host_fold>& fold = arguments.fold;
  return {operands,
          output,
          states.merge,
          states.save,
          arguments.where,
          arguments.weights,
          arguments.difference || fold ? arguments.word : "",
          fold ? fold->settings : decltype(host_fold::settings){}};
}

notation notation_of(const reduce_arguments& arguments) { return arguments.hex ? notation::hex : notation::decimal; }

void print_text(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result,
                bool alone, text_output& out) {
  const notation how = notation_of(arguments);
  const bool described = result.used.what.op == op_kind::describe;
  std::string label = alone ? "" : label_of(operands);
  if (arguments.result_ops().size() > 1) label += (alone ? "" : ": ") + std::string(name(result.used.what.op));
  if (!label.empty()) out << label << (result.extents.empty() && !described ? ": " : ":\n");
  if (described) print_description(result, how, out);
  else print_array(result, how, out);
  out << "\n";
}

}  // namespace

void write_output(const reduce_arguments& arguments, const operand_files& operands,
                  std::span<const reduce_result> results, interrupt_watch& watch) {
  if (arguments.output.empty()) return;
  write_results(arguments.output, results, notation_of(arguments), files_of(arguments, operands, ""), watch);
}

void report(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result, bool alone) {
  if (arguments.explain && !arguments.files.empty()) {
    // A stream of unknown length is planned as one element.
    const bool known = result.used.form.elements() == result.count;
    print_aside(explain(result.used) +
                engine_line(engine_for(result.used, known ? result.count : -1, operands, arguments.how)) +
                share_line(result) + memory_line(result) + (result.note.empty() ? "" : result.note + "\n"));
  }
  text_output out;
  if (arguments.json) {
    print_result_json(result, files_of(arguments, operands, arguments.output), out);
    out << "\n";
    return out.flush();
  }
  if (!arguments.output.empty()) return;
  print_text(arguments, operands, result, alone, out);
  out.flush();
  if (elements_of(result) > most_elements_shown) {
    const bool described = result.used.what.op == op_kind::describe;
    complain(fmt::format("{}: {} results, shortened here; {} gives them all", label_of(operands), elements_of(result),
                         described ? "--json or -o OUT.txt" : "-o OUT.npy or --json"));
  }
}

}  // namespace multifold::app
