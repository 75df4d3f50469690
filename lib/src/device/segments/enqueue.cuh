// Segments as work for a queue: which kernels, with which memory.
#pragma once

#include <algorithm>

#include "device/exact/output.cuh"
#include "device/segments/arguments.cuh"
#include "device/segments/prefix_sums.cuh"
#include "device/segments/segment_ends.cuh"
#include "device/segments/segment_tiles.cuh"

namespace multifold::inline v0_1::cuda::segments {

template <class Op, class Output>
segment_arguments<Op, Output> arguments_of(const segment_call& c, const Op& op, const Output& output) {
  using accumulator = typename Op::accumulator;
  static_assert(sizeof(accumulator) <= most_accumulator_bytes);
  const auto range = [&](const void* data) {
    const auto* const first = static_cast<const std::byte*>(data);
    return kernels::array_range{first, first + c.elements * static_cast<std::int64_t>(sizeof(tile_element<Op>))};
  };
  const void* const second = takes_two_arrays(c.what.op) ? c.data.y : c.data.x;
  return {bounds_of(c),
          range(c.data.x),
          range(second),
          static_cast<accumulator*>(c.begun),
          static_cast<accumulator*>(c.ended),
          static_cast<cut_segment*>(c.cuts),
          c.bad,
          op,
          output};
}

inline std::int64_t shares_of(const segment_call& c, const share_sizes& sizes, std::int64_t resident) {
  return share_count(sizes, c.elements, c.count, c.gpu.units * resident);
}

template <class Op, class Output>
void launch_ends(const segment_call& c, std::int64_t shares, const segment_arguments<Op, Output>& args) {
  if (shares == 1) return;
  launch_kernel(c.queue, segment_ends<Op, Output>, static_cast<unsigned>((shares + ends_shares - 1) / ends_shares),
                ends_threads, 0, static_cast<int>(shares), args);
}

/// The first look at every segment: whole ones, and then those that blocks share.
template <class Op, class Output>
void launch(const segment_call& c, const Op& op, const Output& output) {
  using T = tile_element<Op>;
  const segment_arguments<Op, Output> args = arguments_of(c, op, output);
  kernels::tile_map map{};
  map.inner = map.row_stride = map.index_step = 1;
  const std::int64_t blocks = shares_of(c, shares_of_blocks, segment_blocks_of<Op>);
  launch_kernel(c.queue, segment_tiles<Op, Output>, static_cast<unsigned>(blocks), tile_threads, segment_ring_bytes,
                reinterpret_cast<const T*>(args.array.first), reinterpret_cast<const T*>(args.second.first), map, args);
  launch_ends(c, blocks, args);
}

/// The same of exact sums, by warps.
template <class Op, class Output>
void launch_sums(const segment_call& c, const Op& op, const Output& output) {
  using T = typename Op::value_type;
  using memory = prefix_memory<T>;
  static_assert(memory::blocks * memory::warps <= shares_of_warps.most_of_unit &&
                sizeof(typename Op::accumulator) <= most_sum_bytes);
  const segment_arguments<Op, Output> args = arguments_of(c, op, output);
  const std::int64_t resident =
      std::clamp<std::int64_t>(c.gpu.unit_shared_bytes / (memory::block_bytes + 2048), 1, memory::blocks);
  const std::int64_t wanted = shares_of(c, shares_of_warps, resident * memory::warps);
  const std::int64_t blocks = (wanted + memory::warps - 1) / memory::warps;
  launch_kernel(c.queue, segment_sums<Op, Output>, static_cast<unsigned>(blocks), memory::threads, memory::block_bytes,
                static_cast<const T*>(c.data.x), args);
  launch_ends(c, blocks * memory::warps, args);
}

template <op_family Family, class T>
void enqueue(const segment_call& c) {
  const auto to = output_of(c);
  if constexpr (Family == op_family::exact_sum) {
    const exact::exact_output<T> output{to, {c.lost, c.words, c.arrivals}, to.plain};
    visit_gathered<T>(c.what.nan, [&](auto fold) {
      using Op = decltype(fold);
      if constexpr (has_tiled_form<Op> || std::is_same_v<Op, half_sum>) launch_sums(c, expansion_sum<T>{}, output);
      else launch(c, fold, output);
    });
    if constexpr (!std::is_same_v<T, f16>) enqueue_lost_sums<carrier_of<T>>(c);
  } else {
    cuda::detail::visit_instance<Family, T>(c.what, [&](auto op) { launch(c, op, to); });
  }
}

}  // namespace multifold::inline v0_1::cuda::segments

#define MULTIFOLD_SEGMENTS(FAMILY, TYPE)                                                \
  template void multifold::cuda::segments::enqueue<multifold::op_family::FAMILY, TYPE>( \
      const multifold::cuda::segments::segment_call&);
