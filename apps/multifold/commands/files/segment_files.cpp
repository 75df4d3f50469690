// Lists are read before the arrays that they cut.
#include "commands/files/segment_files.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>

#include "common/messages/failure.hpp"
#include "multifold/by_key.hpp"
#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold::app {
namespace {

array_view read_list(const std::string& file, std::vector<std::byte>& memory) {
  const std::unique_ptr<source> input = open_source(file, std::nullopt);
  const array_layout& layout = input->layout();
  const std::int64_t item = item_bytes(layout.type), count = element_count(layout.extents);
  if (layout.extents.size() != 1) {
    throw shape_error("found shape " + to_string(layout.extents) + "; expected a list of one axis");
  }
  if (layout.type != dtype::i32 && layout.type != dtype::i64) {
    throw shape_error("found " + std::string(name(layout.type)) + "; expected i32 or i64");
  }
  try {
    memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 1) * item));
  } catch (const std::exception&) {
    throw out_of_memory("there is no memory for " + std::to_string(count) + " numbers of " + std::to_string(item) +
                        " bytes");
  }
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t read = input->read(at, std::span(memory)
                                                  .subspan(static_cast<std::size_t>(at * item))
                                                  .first(static_cast<std::size_t>((count - at) * item)));
    if (read <= 0) throw format_error("the list ends before its last number");
    at += read;
  }
  return make_view(memory.data(), layout.type, {count});
}

// What is wrong with a list is wrong with the file.
array_view list_of(const std::string& file, std::vector<std::byte>& memory) {
  try {
    return read_list(file, memory);
  } catch (const shape_error& e) {
    throw file_failure(exit_code::input, file, e.what());
  } catch (...) {
    throw input_failure_of(std::current_exception(), file);
  }
}

}  // namespace

segment_files::segment_files(const segment_arguments& from) : label_(label_of(from.files())), groups_(from.groups) {
  const array_view first = list_of(from.files()[0], first_);
  if (groups_) {
    keys_ = first;
    return;
  }
  try {
    list_ = from.offsets ? segments::from_offsets(first) : segments::from_ranges(first, list_of(*from.ends, second_));
  } catch (const shape_error& e) {
    throw failure(exit_code::input, label_ + ": " + e.what(), from.files());
  }
}

void segment_files::check_axis(std::size_t rank, const reduce_options& options) const {
  if (rank > 1 && (options.axes.are_all() || options.axes.size() != 1)) {
    throw usage("--axis: " + label_ + " is about one of the " + std::to_string(rank) + " axes; expected that one");
  }
}

std::vector<std::int64_t> segment_files::result_extents(std::vector<std::int64_t> extents,
                                                        const reduce_options& options) const {
  check_axis(extents.size(), options);
  const auto rank = static_cast<std::int64_t>(extents.size());
  for (const std::int64_t axis : options.axes.of(rank)) {
    const std::int64_t at = axis < 0 ? axis + rank : axis;  // of no axis, the reduction says so
    if (at >= 0 && at < rank) extents[static_cast<std::size_t>(at)] = groups_.value_or(list_.count);
  }
  return extents;
}

reduce_result segment_files::reduce(op_kind op, const std::vector<std::unique_ptr<source>>& inputs,
                                    const reduce_options& options) const {
  check_axis(inputs[0]->layout().extents.size(), options);
  if (takes_two_arrays(op)) {
    return groups_ ? reduce_by_key(op, *inputs[0], *inputs[1], keys_, *groups_, options)
                   : multifold::reduce(op, *inputs[0], *inputs[1], list_, options);
  }
  return groups_ ? reduce_by_key(op, *inputs[0], keys_, *groups_, options)
                 : multifold::reduce(op, *inputs[0], list_, options);
}

void check_segments(const segment_arguments& segments) {
  if (segments.offsets && (segments.begins || segments.ends)) {
    throw usage("--offsets: found --begins or --ends, too; expected one way to name segments");
  }
  if (segments.begins.has_value() != segments.ends.has_value()) {
    throw usage(std::string(segments.begins ? "--begins: found no --ends" : "--ends: found no --begins") +
                "; expected both, or --offsets");
  }
  if (segments.keys.has_value() != segments.groups.has_value()) {
    throw usage(segments.keys ? "--keys: found no --groups; expected how many there are, too"
                              : "--groups: found no --keys; expected a file of them");
  }
  if (segments.keys && segments.files().size() > 1) {
    throw usage("--keys: found segments, too; expected one of the two");
  }
}

}  // namespace multifold::app
