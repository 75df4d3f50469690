// One result after the other; a file that fails does not keep the others from being reduced.
#include "commands/reduce/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "arguments/parse.hpp"
#include "arguments/request.hpp"
#include "commands/files/output_target.hpp"
#include "commands/files/result_file.hpp"
#include "commands/files/segment_files.hpp"
#include "commands/files/state_files.hpp"
#include "commands/files/whole_array.hpp"
#include "commands/operands.hpp"
#include "commands/report.hpp"
#include "common/complaint.hpp"
#include "multifold/devices.hpp"
#include "multifold/ranges.hpp"
#include "multifold/reduce.hpp"
#include "multifold/several.hpp"
#include "multifold/state.hpp"
#include "multifold/weighted.hpp"
#include "text/progress_bar.hpp"

namespace multifold::app {
namespace {

std::optional<std::int64_t> bytes_of(const std::vector<std::unique_ptr<source>>& inputs) {
  std::int64_t bytes = 0;
  for (const std::unique_ptr<source>& input : inputs) {
    const array_layout& layout = input->layout();
    if (std::count(layout.extents.begin(), layout.extents.end(), -1) > 0) return std::nullopt;
    const std::int64_t more = element_count(layout.extents) * item_bytes(layout.type);
    if (more > INT64_MAX - bytes) return std::nullopt;  // pipes may promise anything
    bytes += more;
  }
  return bytes;
}

// What all files have in common, judged before the first of them is opened.
struct job {
  job(const reduce_arguments& from, interrupt_watch& watch)
      : arguments(from),
        raw(raw_request(from.raw)),
        options(reduce_request(from.ops, from.what, from.how)),
        earlier(from.op, from.states.merge, watch) {
    options.keep_state = options.only_state = from.states.used();
    if (from.segments.used()) lists.emplace(from.segments);
    if (from.where) second.emplace(read_marks(*from.where));
    if (from.weights) second.emplace(read_weights(*from.weights));
    if (from.states.save) check_target(*from.states.save);
    if (from.states.checkpoint) {
      check_target(*from.states.checkpoint);
      options.checkpoint = *from.states.checkpoint;
      options.checkpoint_seconds = from.states.checkpoint_seconds.value_or(options.checkpoint_seconds);
    }
  }

  const reduce_arguments& arguments;
  std::optional<raw_options> raw;
  reduce_options options;
  std::optional<segment_files> lists;
  std::optional<whole_array> second;  // marks or weights
  merged_states earlier;
};

std::unique_ptr<source> open_input(const job& work, const std::string& file) {
  try {
    return open_source(file, work.raw);
  } catch (...) {
    throw input_failure_of(std::current_exception(), file);
  }
}

std::vector<std::unique_ptr<source>> joined(std::vector<std::unique_ptr<source>> parts) {
  std::vector<std::unique_ptr<source>> whole;
  whole.push_back(concatenate(std::move(parts)));
  return whole;
}

// Adds what other runs have left, and finishes.
void add_earlier(const job& work, reduce_result& result) {
  const reduce_arguments& arguments = work.arguments;
  if (!arguments.states.used()) return;
  std::optional<state> all;
  if (!work.earlier.empty()) all = work.earlier.all();
  if (!result.state.empty()) {
    state more(result.state);
    more.move(arguments.states.first_index.value_or(all ? all->end() : 0));
    if (all) all->merge(more);
    else all = std::move(more);
  }
  reduce_options options = work.options;
  if (arguments.what.initial) fit_to({all->element(), {}, false}, arguments.op, arguments.what, options);
  finish_options end;
  end.result = result.type;
  end.correction = options.correction;
  end.initial = options.initial;
  result.state = all->bytes();
  reduce_result made = all->finish(arguments.op, end);
  result.data = std::move(made.data);
  if (!arguments.files.empty()) return;
  result.extents = std::move(made.extents);
  result.used.what = made.used.what;
}

// No file: the states alone.
reduce_result reduce_states(const job& work) {
  const op_kind op = work.arguments.op;
  const dtype element = work.earlier.all().element();
  reduce_options options = work.options;
  fit_to({element, {}, false}, op, work.arguments.what, options);
  reduce_result result;
  result.type = result_type(op, element, options);
  result.engine = "host";
  result.achieved = accuracy::exact;
  if (!work.arguments.output.empty()) check_output(work.arguments.output, result.type);
  return result;
}

// Those of the results that an array of this layout is reduced to, which may be of unknown length.
std::vector<std::int64_t> kept_extents(const job& work, const array_layout& layout, const reduce_options& options) {
  array_view view;
  view.extents = layout.extents;
  for (std::int64_t& extent : view.extents) extent = std::max<std::int64_t>(extent, 0);
  if (work.lists) return work.lists->result_extents(view.extents, options);
  return result_extents(view, options.axes.of(view.rank()), false);
}

// All that the options say about an array of this layout, judged before it is read.
reduce_options options_for(const job& work, const operand_files& files, const array_layout& layout) {
  const reduce_arguments& arguments = work.arguments;
  reduce_options options = work.options;
  try {
    for (const op_kind op : arguments.ops) fit_to(layout, op, arguments.what, options);
  } catch (const failure& problem) {
    throw about(files, problem);
  }
  for (const op_kind op : arguments.ops) {
    const dtype result = result_type(op, layout.type, options);
    if (!arguments.output.empty()) check_output(arguments.output, result, arguments.fold.has_value());
  }
  try {
    if (!work.earlier.empty()) work.earlier.require(layout.type, kept_extents(work, layout, options), options.nan);
  } catch (const unsupported_error&) {
    throw about(files, failure_of(std::current_exception()));
  }
  options.initial = work.arguments.states.used() ? initial_value{} : options.initial;  // it takes part in the end
  return options;
}

std::string interruption(const reduce_arguments& arguments) {
  const std::optional<std::string>& checkpoint = arguments.states.checkpoint;
  std::error_code ignored;
  if (!checkpoint || !std::filesystem::exists(*checkpoint, ignored)) return "interrupted; nothing was written";
  return "interrupted; started again, it goes on from " + label_of(*checkpoint);
}

// With marks or weights, of an array that is read whole.
std::vector<reduce_result> reduce_whole(const job& work, source& input, reduce_options options) {
  const whole_array x(input, options.stop, options.progress);
  options.progress = {};
  if (work.arguments.weights) {
    std::vector<reduce_result> only;
    only.push_back(weighted_mean(x.view(), work.second->view(), options));
    return only;
  }
  options.where = work.second->view();
  return reduce(work.arguments.ops, x.view(), options);
}

// By the only operation, or by several on one read.
std::vector<reduce_result> reduce_inputs(const job& work, const std::vector<std::unique_ptr<source>>& inputs,
                                         const reduce_options& options) {
  const std::vector<op_kind>& ops = work.arguments.ops;
  const op_kind op = work.arguments.op;
  if (work.second) return reduce_whole(work, *inputs[0], options);
  source& x = *inputs[0];
  if (work.arguments.fold) {
    std::vector<reduce_result> only;
    only.push_back(reduce(*work.arguments.fold, x, options));
    return only;
  }
  if (ops.size() > 1) return takes_two_arrays(op) ? reduce(ops, x, *inputs[1], options) : reduce(ops, x, options);
  std::vector<reduce_result> only;
  if (work.arguments.how.devices)
    only.push_back(reduce_on_devices(parse_devices(*work.arguments.how.devices), op, x, options));
  else if (work.lists) only.push_back(work.lists->reduce(op, inputs, options));
  else only.push_back(takes_two_arrays(op) ? reduce(op, x, *inputs[1], options) : reduce(op, x, options));
  return only;
}

// Of what the first and the second operation made of each batch.
std::vector<reduce_result> difference_of(std::vector<reduce_result> ends) {
  reduce_result& greatest = ends[0];
  const dtype element = greatest.type;
  const std::int64_t item = item_bytes(element);
  greatest.type = default_result_dtype(op_kind::sum, element);
  std::vector<std::byte> differences(greatest.data.size() / item * item_bytes(greatest.type));
  std::byte* out = differences.data();
  for (std::size_t at = 0; at < greatest.data.size(); at += item, out += item_bytes(greatest.type))
    multifold::detail::subtract(element, &greatest.data[at], &ends[1].data[at], out);
  greatest.data = std::move(differences);
  ends.pop_back();
  return ends;
}

std::string second_label(const reduce_arguments& arguments) {
  return arguments.where ? " where " + label_of(*arguments.where) : " by " + label_of(*arguments.weights);
}

std::vector<reduce_result> reduce_operands(const job& work, const operand_files& files, interrupt_watch& watch) {
  const std::string interrupted = label_of(files) + ": " + interruption(work.arguments);
  const last_words while_opening(watch, [&] { watch.complain_of_end(interrupted, files); });
  std::vector<std::unique_ptr<source>> inputs;  // a named pipe may keep us waiting here
  for (const std::string& file : files) inputs.push_back(open_input(work, file));
  if (work.arguments.concatenate) inputs = joined(std::move(inputs));
  reduce_options options = options_for(work, files, inputs[0]->layout());

  progress_bar bar(fmt::format("{} {}", work.arguments.word, label_of(files)), bytes_of(inputs));
  const last_words while_reading(watch, [&] {
    bar.clear();
    remove_unfinished(options.checkpoint);
    watch.complain_of_end(label_of(files) + ": " + interruption(work.arguments), files);
  });
  options.stop = watch.token();
  if (progress_bar::wanted()) options.progress = [&bar](std::int64_t bytes) { bar.update(bytes); };
  try {
    std::vector<reduce_result> results = reduce_inputs(work, inputs, options);
    return work.arguments.difference ? difference_of(std::move(results)) : results;
  } catch (const shape_error&) {
    if (!work.lists && !work.second) throw;
    const failure problem = failure_of(std::current_exception());
    const std::string second = work.lists ? " by " + work.lists->label() : second_label(work.arguments);
    throw failure(exit_code::input, label_of(files) + second + ": " + problem.what(), files);
  } catch (const cancelled_error&) {
    throw failure(exit_code::interrupted, label_of(files) + ": " + interruption(work.arguments), files);
  }
}

void finish(const job& work, const operand_files& files, std::vector<reduce_result> results, interrupt_watch& watch,
            bool alone) {
  const reduce_arguments& arguments = work.arguments;
  for (reduce_result& each : results) add_earlier(work, each);
  write_output(arguments, files, results, watch);
  const auto tell = [&] {
    for (const reduce_result& each : results) report(arguments, files, each, alone);
  };
  if (arguments.states.save) save_state(*arguments.states.save, results[0].state, watch, tell);
  else tell();
  std::error_code ignored;
  if (arguments.states.checkpoint) std::filesystem::remove(*arguments.states.checkpoint, ignored);
}

}  // namespace

exit_code reduce_files(const reduce_arguments& arguments, interrupt_watch& watch) {
  const job work(arguments, watch);
  if (arguments.files.empty()) {
    std::vector<reduce_result> only;
    only.push_back(reduce_states(work));
    finish(work, {}, std::move(only), watch, true);
    return exit_code::success;
  }
  exit_code first = exit_code::success;
  const std::vector<operand_files> operands = operands_of(arguments);
  for (const operand_files& files : operands) {
    try {
      finish(work, files, reduce_operands(work, files, watch), watch, operands.size() == 1);
    } catch (...) {
      const failure problem = about(files, failure_of(std::current_exception()));
      const bool hopeless = problem.code() == exit_code::interrupted || *problem.what() == '\0';
      if (hopeless) throw problem;
      complain(problem, static_cast<int>(problem.code()));
      if (first == exit_code::success) first = problem.code();
    }
  }
  return first;
}

}  // namespace multifold::app
