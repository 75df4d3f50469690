// The run-time dispatch of segments to their compiled instances, and the workspace that they share.
#include <algorithm>
#include <string>

#include "device/check_memory.hpp"
#include "device/dispatch.hpp"
#include "device/note_status.hpp"
#include "device/segments/call.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/error.hpp"
#include "multifold/plan/recipe.hpp"
#include "multifold/summary.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/moment.hpp"
#include "plan/no_value.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

using segments::segment_call;

constexpr std::int64_t cut_bytes = 16, bad_at = 8;

// Over the segments that the first look loses, as if all were as long as their mean.
pass again_over(const reduction& what, std::int64_t elements, std::int64_t count, const engine_traits& gpu) {
  batches form;
  form.outer = count;
  form.length = std::max<std::int64_t>(1, elements / count);
  if (family_of(what) == op_family::moments) return multifold::detail::moments_again(what, form, {}, gpu);
  return gathers_exactly(what) ? multifold::detail::sums_again(what, form, gpu) : pass{};
}

// Where things are; what is cleared comes first.
struct workspace_layout {
  std::int64_t cuts, lost, words, arrivals, cleared, extremes, begun, ended, end;
  std::int64_t longest, room, long_list, long_words, long_arrivals, long_extremes;

  workspace_layout(const reduction& what, std::int64_t elements, std::int64_t count, const pass& again,
                   const engine_traits& gpu) {
    std::int64_t at = 0;
    const auto take = [&](std::int64_t items, std::int64_t each) {
      const std::int64_t from = at;
      at += (items * each + slice_alignment - 1) / slice_alignment * slice_alignment;
      return from;
    };
    const bool moments = family_of(what) == op_family::moments;
    const bool sums = gathers_exactly(what);
    const std::int64_t shares = segments::most_shares(sums ? segments::shares_of_warps : segments::shares_of_blocks,
                                                      elements, count, gpu.units);
    const std::int64_t accumulator = sums ? segments::most_sum_bytes : segments::most_accumulator_bytes;
    const std::int64_t meeting = again.parts > 1 ? count : 0;
    take(1, slice_alignment);  // the status word, and the first bad offset
    cuts = take(shares, cut_bytes);
    lost = take(count / 32 + 1, 4);
    words =
        take(meeting, moments ? multifold::detail::moment_word_bytes(what) : multifold::detail::exact_word_bytes(what));
    arrivals = take(meeting, 4);
    longest = segments::longest_of_mean(elements, count);
    room = (moments || sums) && elements > longest ? elements / longest : 0;
    const std::int64_t word_bytes = moments ? multifold::detail::moment_word_bytes(what)
                                    : sums  ? multifold::detail::exact_word_bytes(what)
                                            : 0;
    long_list = take(room > 0 ? room + 1 : 0, 8);
    long_words = take(room, word_bytes);
    long_arrivals = take(room, 4);
    cleared = at;
    const bool describes = what.op == op_kind::describe;
    extremes = take(describes ? meeting * again.parts : 0, multifold::detail::extremes_bytes(what));
    long_extremes = take(describes ? room * segments::parts_of_long : 0, multifold::detail::extremes_bytes(what));
    begun = take(shares, accumulator);
    ended = take(shares, accumulator);
    end = at;
  }
};

void check_call(const reduction& what, const operands& data, std::int64_t elements, const device_segments& of,
                const void* results) {
  if (elements < 0 || of.count < 0) throw shape_error("there cannot be fewer than no elements or segments");
  if (of.type != dtype::i32 && of.type != dtype::i64) {
    throw unsupported_error("offsets of " + std::string(name(of.type)) + " were given: expected i32 or i64");
  }
  multifold::detail::check_result_dtype(what);
  multifold::detail::check_device_correction(what);
  const std::int64_t item = item_bytes(what.input);
  check_memory("memory for the results", results,
               what.op == op_kind::describe ? std::int64_t{alignof(summary)} : item_bytes(what.result));
  check_memory("memory with the offsets", of.offsets, item_bytes(of.type));
  if (elements > 0) check_memory("array", data.x, item);
  if (elements > 0 && takes_two_arrays(what.op)) check_memory("second array", data.y, item);
}

}  // namespace

std::int64_t segments_workspace_bytes(const reduction& what, std::int64_t elements, std::int64_t count,
                                      const engine_traits& gpu) {
  if (count <= 0) return 0;
  return workspace_layout(what, elements, count, again_over(what, elements, count, gpu), gpu).end;
}

void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                           const device_segments& of, void* results, std::span<std::byte> workspace,
                           const engine_traits& gpu, work_queue& queue) {
  if (of.count == 0) return;
  check_call(what, data, elements, of, results);
  const pass again = again_over(what, elements, of.count, gpu);
  const workspace_layout layout(what, elements, of.count, again, gpu);
  if (static_cast<std::int64_t>(workspace.size()) < layout.end) {
    throw shape_error("the segments need a workspace of " + std::to_string(layout.end) + " bytes, and " +
                      std::to_string(workspace.size()) + " were given");
  }
  std::byte* const space = workspace.data();
  check_memory("workspace", space, slice_alignment);
  const segment_call c{what,
                       data,
                       elements,
                       of.offsets,
                       of.type == dtype::i64,
                       of.count,
                       results,
                       reinterpret_cast<std::uint32_t*>(space),
                       reinterpret_cast<unsigned long long*>(space + bad_at),
                       space + layout.cuts,
                       reinterpret_cast<unsigned*>(space + layout.lost),
                       space + layout.begun,
                       space + layout.ended,
                       again.parts > 1 ? reinterpret_cast<std::int64_t*>(space + layout.words) : nullptr,
                       again.parts > 1 ? reinterpret_cast<unsigned*>(space + layout.arrivals) : nullptr,
                       space + layout.extremes,
                       again,
                       {layout.longest, layout.room, reinterpret_cast<std::int64_t*>(space + layout.long_list),
                        reinterpret_cast<std::int64_t*>(space + layout.long_words),
                        reinterpret_cast<unsigned*>(space + layout.long_arrivals), space + layout.long_extremes},
                       gpu,
                       queue};
  queue.clear(space, static_cast<std::size_t>(layout.cleared));
  visit_family(what, [&]<op_family Family, class T>() {
    if constexpr (Family == op_family::moments) segments::enqueue_moments<order_carrier<T>>(c);
    else segments::enqueue<Family, detail::instance_of<Family, T>>(c);
  });
}

void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                           const device_segments& of, void* results, std::span<std::byte> workspace,
                           const engine_traits& gpu, cudaStream_t stream) {
  stream_queue queue(stream);
  reduce_segments_async(what, data, elements, of, results, workspace, gpu, queue);
}

void detail::note_segments_status(std::span<const std::byte> workspace, std::uint32_t* to, cudaStream_t stream) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(workspace.data());
  constexpr std::int64_t bad = bad_at / 4;  // two of them
  note_status({{words}, {words + bad, status::bad_count}, {words + bad + 1, status::bad_count}}, to, stream);
}

segments_status segments_status_of(std::span<const std::byte> workspace, std::int64_t count, cudaStream_t stream) {
  unsigned long long words[2] = {};
  if (count > 0) check(cudaMemcpyAsync(words, workspace.data(), sizeof words, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  segments_status all{static_cast<status>(words[0] & 0xffffffffu)};
  if (words[1] != 0) all.bad_offset = count - static_cast<std::int64_t>(words[1]) + 1;
  return all;
}

}  // namespace multifold::inline v0_1::cuda
