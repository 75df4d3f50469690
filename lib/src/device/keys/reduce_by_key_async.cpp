// Groups as segments: of the array itself where its keys ascend, else of a copy in the order of its keys.
#include <algorithm>
#include <string>

#include "device/check_memory.hpp"
#include "device/keys/call.hpp"
#include "device/note_status.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/error.hpp"
#include "multifold/plan/recipe.hpp"
#include "multifold/summary.hpp"
#include "plan/no_value.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

using keys::element_numbers, keys::key_report, keys::sort_call;

// What is found out about the keys as they are, and about sorted ones; how it went with what is not segments', and the
// quantum of windows.
struct reports {
  key_report given, sorted;
  std::uint32_t status_word;
  int quantum;
};
constexpr std::int64_t report_bytes = slice_alignment;  // segments' workspace lies behind them
static_assert(sizeof(reports) <= report_bytes);

bool gives_positions(op_kind op) { return op == op_kind::argmin || op == op_kind::argmax; }

// Where one array is enough, and no result says where its elements were, they are sorted themselves; else their
// numbers.
bool sorts_numbers(op_kind op) { return order_of(op) == element_order::indexed || takes_two_arrays(op); }

reduction segment_reduction(const reduction& what) {
  reduction inside = what;
  if (gives_positions(what.op)) inside.result = dtype::i64;
  return inside;
}

bool takes_windows(const reduction& what, std::int64_t elements, const device_keys& of) {
  return !of.ascend && elements > 0 && keys::has_windows(what, of.groups);
}
bool takes_parts(const reduction& what, std::int64_t elements, const device_keys& of) {
  return !of.ascend && keys::has_windows_in_parts(what, elements, of.groups);
}

// Where things are; reports are cleared, and windows' words, which leave nothing in the place of segments. Numbers of
// elements are sorted between `numbers` and `order`, and arrays are gathered where the sort worked.
struct workspace_layout {
  std::int64_t segments, segment_bytes, offsets, inside, narrow, sorted_keys, numbers, order, sorted, work, work_bytes,
      gathered_x, gathered_y, words = 0, cleared, end;

  workspace_layout(const reduction& what, std::int64_t elements, const device_keys& of, const engine_traits& gpu) {
    std::int64_t at = 0;
    const auto rounded = [](std::int64_t bytes) {
      return (bytes + slice_alignment - 1) / slice_alignment * slice_alignment;
    };
    const auto take = [&](std::int64_t items, std::int64_t each) {
      const std::int64_t from = at;
      at += rounded(items * each);
      return from;
    };
    const bool windows = takes_windows(what, elements, of), parts = takes_parts(what, elements, of);
    const bool is_copied = !of.ascend && elements > 0 && !windows, by_number = is_copied && sorts_numbers(what.op);
    const std::int64_t copied = is_copied ? elements : 0, numbered = by_number ? elements : 0;
    const std::int64_t item = item_bytes(what.input),
                       number_bytes = element_numbers{nullptr, element_numbers::is_wide(elements)}.item_bytes();
    cleared = take(1, report_bytes) + report_bytes;
    segment_bytes = segments_workspace_bytes(segment_reduction(what), elements, of.groups, gpu);
    if (windows || parts) {
      segment_bytes = slice_alignment;
      words = cleared + segment_bytes;
      cleared = words + rounded(keys::group_sum_bytes(of.groups));
    }
    segments = take(std::max(segment_bytes, cleared - report_bytes), 1);
    offsets = take(windows || parts ? 0 : of.groups + 1, 8);
    inside = take(gives_positions(what.op) && what.result != dtype::i64 ? of.groups : 0, 8);
    narrow = take(of.type == dtype::i64 ? copied : 0, 4);
    sorted_keys = take(copied, 4);
    numbers = take(numbered, number_bytes);
    order = take(numbered, number_bytes);
    sorted = take(by_number ? 0 : copied, item);
    work_bytes = 0;
    if (is_copied) {
      work_bytes = keys::sort_workspace_bytes({nullptr, nullptr, nullptr, nullptr, by_number ? number_bytes : item,
                                               elements, of.groups, parts ? keys::part_bits : 0});
    }
    work = gathered_x = at;
    gathered_y = gathered_x + rounded(numbered * item);
    const std::int64_t gathered_end = gathered_y + rounded(takes_two_arrays(what.op) ? numbered * item : 0);
    end = std::max(work + rounded(work_bytes), gathered_end);
  }
};

void check_keys(std::int64_t elements, const device_keys& of) {
  if (elements < 0 || of.groups < 0) throw shape_error("there cannot be fewer than no elements or groups");
  if (of.groups > keys::most_groups) {
    throw unsupported_error(std::to_string(of.groups) + " groups were asked for: on the GPU there are up to " +
                            std::to_string(keys::most_groups));
  }
  if (of.type != dtype::i32 && of.type != dtype::i64) {
    throw unsupported_error("keys of " + std::string(name(of.type)) + " were given: expected i32 or i64");
  }
}

void check_call(const reduction& what, const operands& data, std::int64_t elements, const device_keys& of,
                const void* results) {
  check_keys(elements, of);
  multifold::detail::check_result_dtype(what);
  multifold::detail::check_device_correction(what);
  const std::int64_t item = item_bytes(what.input);
  if (of.groups > 0) {
    check_memory("memory for the results", results,
                 what.op == op_kind::describe ? std::int64_t{alignof(summary)} : item_bytes(what.result));
  }
  if (elements == 0) return;
  check_memory("memory with the keys", of.keys, item_bytes(of.type));
  check_memory("array", data.x, item);
  if (takes_two_arrays(what.op)) check_memory("second array", data.y, item);
}

struct by_key_call {
  const reduction& what;
  operands data;
  std::int64_t elements;
  const device_keys& of;
  void* results;
  const workspace_layout& at;
  std::byte* space;
  const engine_traits& gpu;
  cudaStream_t stream;

  void run() const {
    stream_queue queue(stream);
    queue.clear(space, static_cast<std::size_t>(at.cleared));
    if (takes_windows(what, elements, of)) return sum_windows(given_keys(), data.x, &report()->given, queue);
    if (takes_parts(what, elements, of)) return in_parts(queue);
    const bool is_copied = !of.ascend && elements > 0;
    const operands ordered = is_copied ? in_order(queue) : data;
    if (!is_copied) keys::find_offsets(given_keys(), offsets(), &report()->given, gpu, queue);
    const reduction inside = segment_reduction(what);
    void* const found = gives_positions(what.op) && what.result != dtype::i64 ? space + at.inside : results;
    reduce_segments_async(inside, ordered, elements, {offsets(), dtype::i64, of.groups}, found,
                          {space + at.segments, static_cast<std::size_t>(at.segment_bytes)}, gpu, queue);
    if (of.groups == 0) return;
    const keys::group_places places{offsets(), is_copied ? order() : element_numbers{nullptr, false}, of.groups};
    if (gives_positions(what.op)) {
      keys::put_positions(places, static_cast<const std::int64_t*>(found), results, what.result, &report()->status_word,
                          gpu, queue);
    } else if (what.op == op_kind::describe) {
      keys::put_positions_of_summaries(places, results, gpu, queue);
    }
  }

 private:
  template <class T>
  T* memory(std::int64_t place) const {
    return reinterpret_cast<T*>(space + place);
  }
  reports* report() const { return memory<reports>(0); }
  std::int64_t* offsets() const { return memory<std::int64_t>(at.offsets); }
  element_numbers order() const { return {space + at.order, element_numbers::is_wide(elements)}; }
  keys::key_list given_keys() const { return {of.keys, of.type == dtype::i64, elements, of.groups}; }

  void sum_windows(const keys::key_list& list, const void* x, key_report* found, work_queue& queue) const {
    keys::sum_groups({x, what.input, list, what.op, what.nan == nan_policy::omit, what.initial, what.result, results,
                      &report()->quantum, memory<std::int64_t>(at.words), found, &report()->status_word},
                     gpu, queue);
  }

  bool narrows() const { return of.type == dtype::i64; }
  // Of keys that are narrow already, or will be.
  sort_call given_order() const {
    const void* const keys = narrows() ? memory<std::uint32_t>(at.narrow) : of.keys;
    return {static_cast<const std::uint32_t*>(keys),
            memory<std::uint32_t>(at.sorted_keys),
            data.x,
            space + at.sorted,
            item_bytes(what.input),
            elements,
            of.groups};
  }
  void check_keys(const element_numbers& numbers, work_queue& queue) const {
    auto* const narrow = narrows() ? memory<std::uint32_t>(at.narrow) : nullptr;
    keys::check_keys(given_keys(), narrow, numbers, &report()->given, gpu, queue);
  }

  // The windows see bad keys, too; where the first one was is asked for afterwards.
  void in_parts(work_queue& queue) const {
    const element_numbers none{nullptr, false};
    if (narrows()) check_keys(none, queue);
    sort_call c = given_order();
    c.first_bit = keys::part_bits;
    keys::sort(c, space + at.work, at.work_bytes, stream);
    sum_windows({c.sorted_keys, false, elements, of.groups}, c.sorted_values, &report()->sorted, queue);
    if (!narrows()) keys::check_keys(given_keys(), nullptr, none, &report()->given, gpu, queue, &report()->sorted);
  }

  operands in_order(work_queue& queue) const {
    const bool by_number = sorts_numbers(what.op);
    const element_numbers numbers{by_number ? space + at.numbers : nullptr, order().wide};
    check_keys(numbers, queue);
    sort_call c = given_order();
    if (by_number) {
      c.values = numbers.at;
      c.sorted_values = order().at;
      c.item_bytes = numbers.item_bytes();
    }
    keys::sort(c, space + at.work, at.work_bytes, stream);
    keys::find_offsets({c.sorted_keys, false, elements, of.groups}, offsets(), &report()->sorted, gpu, queue);
    if (!by_number) return c.sorted_values;
    const bool two = takes_two_arrays(what.op);
    keys::gather(data.x, order(), space + at.gathered_x, item_bytes(what.input), elements, gpu, queue);
    if (two) keys::gather(data.y, order(), space + at.gathered_y, item_bytes(what.input), elements, gpu, queue);
    return {space + at.gathered_x, two ? space + at.gathered_y : nullptr};
  }
};

}  // namespace

std::int64_t by_key_workspace_bytes(const reduction& what, std::int64_t elements, const device_keys& of,
                                    const engine_traits& gpu) {
  check_keys(elements, of);
  return workspace_layout(what, elements, of, gpu).end;
}

void reduce_by_key_async(const reduction& what, const operands& data, std::int64_t elements, const device_keys& of,
                         void* results, std::span<std::byte> workspace, const engine_traits& gpu, cudaStream_t stream) {
  check_call(what, data, elements, of, results);
  const workspace_layout layout(what, elements, of, gpu);
  if (static_cast<std::int64_t>(workspace.size()) < layout.end) {
    throw shape_error("the groups need a workspace of " + std::to_string(layout.end) + " bytes, and " +
                      std::to_string(workspace.size()) + " were given");
  }
  check_memory("workspace", workspace.data(), slice_alignment);
  by_key_call{what, data, elements, of, results, layout, workspace.data(), gpu, stream}.run();
}

void detail::note_by_key_status(std::span<const std::byte> workspace, std::int64_t groups, std::uint32_t* to,
                                cudaStream_t stream) {
  const auto* const found = reinterpret_cast<const reports*>(workspace.data());
  const auto* const bad = reinterpret_cast<const std::uint32_t*>(&found->given.bad);
  // Without groups there is nothing of segments.
  const auto* const segments =
      groups > 0 ? reinterpret_cast<const std::uint32_t*>(workspace.data() + report_bytes) : &found->status_word;
  note_status({{&found->status_word},
               {segments},
               {bad, status::bad_count},
               {bad + 1, status::bad_count},
               {&found->given.falls, status::bad_count}},
              to, stream);
}

by_key_status by_key_status_of(std::span<const std::byte> workspace, std::int64_t elements, const device_keys& of,
                               cudaStream_t stream) {
  reports found{};
  check(cudaMemcpyAsync(&found, workspace.data(), sizeof found, cudaMemcpyDeviceToHost, stream));
  const segments_status how = segments_status_of(workspace.subspan(report_bytes), of.groups, stream);
  by_key_status all;
  all.worst = std::max(how.worst, static_cast<status>(found.status_word));
  if (found.given.bad != 0) all.bad_key = elements - static_cast<std::int64_t>(found.given.bad);
  const unsigned empty = std::max(found.given.empty, found.sorted.empty);
  if (empty != 0) all.empty_group = of.groups - std::int64_t{empty};
  all.ascend = found.given.falls == 0;
  return all;
}

}  // namespace multifold::inline v0_1::cuda
