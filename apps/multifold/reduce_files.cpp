// One file after the other; one that fails does not keep the others from being reduced.
#include "reduce_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "array_text.hpp"
#include "json_text.hpp"
#include "multifold/reduce.hpp"
#include "multifold/state.hpp"
#include "npy_output.hpp"
#include "progress_bar.hpp"
#include "request.hpp"
#include "standard_output.hpp"
#include "state_files.hpp"

namespace multifold::app {
namespace {

std::optional<std::int64_t> bytes_of(const array_layout& layout) {
  if (std::count(layout.extents.begin(), layout.extents.end(), -1) > 0) return std::nullopt;
  return element_count(layout.extents) * item_bytes(layout.type);
}

// What all files have in common, judged before the first of them is opened.
struct job {
  job(const reduce_arguments& from, interrupt_watch& watch)
      : arguments(from),
        raw(raw_request(from.raw)),
        options(reduce_request(from.what, from.how)),
        earlier(from.states.merge, watch) {
    options.keep_state = from.states.used();
    if (from.states.save) check_target(*from.states.save);
  }

  const reduce_arguments& arguments;
  std::optional<raw_options> raw;
  reduce_options options;
  merged_states earlier;
};

std::unique_ptr<source> open_input(const job& work, const std::string& file) {
  try {
    return open_source(file, work.raw);
  } catch (...) {
    throw input_failure_of(std::current_exception(), label_of(file));
  }
}

// Adds what other runs have left, and rounds anew.
void add_earlier(const merged_states& earlier, reduce_result& result) {
  if (earlier.empty()) return;
  result.state = result.state.empty() ? earlier.state() : merge_states(earlier.state(), result.state);
  result.data.resize(static_cast<std::size_t>(item_bytes(result.type)));
  round_state(result.state, result.used.what.op, result.type, result.data.data());
}

// No file: the states alone.
reduce_result reduce_states(const job& work) {
  const op_kind op = work.arguments.op;
  const dtype element = work.earlier.element();
  reduce_options options = work.options;
  fit_to({element, {}, false}, op, work.arguments.what, options);
  reduce_result result;
  result.type = result_type(op, element, options);
  result.engine = "host";
  result.achieved = accuracy::exact;
  result.used.what = make_reduction(op, element);
  if (!work.arguments.output.empty()) check_output(work.arguments.output, result.type);
  return result;
}

reduce_result reduce_file(const job& work, const std::string& file, interrupt_watch& watch) {
  const reduce_arguments& arguments = work.arguments;
  const std::string interrupted = label_of(file) + ": interrupted; nothing was written";
  const last_words while_opening(watch, [&interrupted] { complain(interrupted); });
  const std::unique_ptr<source> input = open_input(work, file);  // a named pipe may keep us waiting here
  reduce_options options = work.options;
  try {
    fit_to(input->layout(), arguments.op, arguments.what, options);
  } catch (const failure& problem) {
    throw about(label_of(file), problem);
  }
  if (!arguments.output.empty()) {
    check_output(arguments.output, result_type(arguments.op, input->layout().type, options));
  }

  if (is_floating(input->layout().type)) work.earlier.require(input->layout().type);

  progress_bar bar(fmt::format("{} {}", name(arguments.op), label_of(file)), bytes_of(input->layout()));
  const last_words while_reading(watch, [&bar, &interrupted] {
    bar.clear();
    complain(interrupted);
  });
  options.stop = watch.token();
  if (progress_bar::wanted()) options.progress = [&bar](std::int64_t bytes) { bar.update(bytes); };
  return reduce(arguments.op, *input, options);
}

void write_output(const reduce_arguments& arguments, const reduce_result& result, interrupt_watch& watch) {
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

std::string text_of(const reduce_arguments& arguments, const std::string& file, const reduce_result& result) {
  const notation how = arguments.hex ? notation::hex : notation::decimal;
  const std::string value = array_text(result, how) + "\n";
  if (arguments.files.size() <= 1) return value;
  return label_of(file) + (result.extents.empty() ? ": " : ":\n") + value;
}

void report(const reduce_arguments& arguments, const std::string& file, const reduce_result& result) {
  if (arguments.explain && !arguments.files.empty()) print_aside(explain(result.used));
  if (arguments.json) {
    const state_arguments& states = arguments.states;
    return print(result_json(result, {file, arguments.output, states.merge, states.save}) + "\n");
  }
  if (!arguments.output.empty()) return;
  print(text_of(arguments, file, result));
  if (elements_of(result) > most_elements_shown) {
    complain(fmt::format("{}: {} results, shortened here; -o OUT.npy or --json gives them all", label_of(file),
                         elements_of(result)));
  }
}

void finish(const job& work, const std::string& file, reduce_result result, interrupt_watch& watch) {
  const reduce_arguments& arguments = work.arguments;
  add_earlier(work.earlier, result);
  if (!arguments.output.empty()) write_output(arguments, result, watch);
  const auto tell = [&] { report(arguments, file, result); };
  if (arguments.states.save) save_state(*arguments.states.save, result.state, watch, tell);
  else tell();
}

}  // namespace

exit_code reduce_files(const reduce_arguments& arguments, interrupt_watch& watch) {
  const job work(arguments, watch);
  if (arguments.files.empty()) {
    finish(work, "", reduce_states(work), watch);
    return exit_code::success;
  }
  exit_code first = exit_code::success;
  for (const std::string& file : arguments.files) {
    try {
      finish(work, file, reduce_file(work, file, watch), watch);
    } catch (...) {
      const failure problem = failure_of(std::current_exception(), label_of(file));
      const bool hopeless = problem.code() == exit_code::interrupted || *problem.what() == '\0';
      if (hopeless) throw problem;
      complain(problem.what());
      if (first == exit_code::success) first = problem.code();
    }
  }
  return first;
}

}  // namespace multifold::app
