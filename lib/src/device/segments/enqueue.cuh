// Segments as work for a queue: which kernels, with which memory.
#pragma once

#include <algorithm>

#include "device/exact/output.cuh"
#include "device/segments/arguments.cuh"
#include "device/segments/segment_tiles.cuh"

namespace multifold::cuda::segments {

/// The first look at every segment: whole ones, and then those that blocks share.
template <class Op, class Output>
void launch(const segment_call& c, const Op& op, const Output& output) {
  using T = tile_element<Op>;
  using accumulator = typename Op::accumulator;
  static_assert(sizeof(accumulator) <= most_accumulator_bytes);
  const auto range = [&](const void* data) {
    const auto* const first = static_cast<const std::byte*>(data);
    return kernels::array_range{first, first + c.elements * static_cast<std::int64_t>(sizeof(T))};
  };
  const void* const second = stage_layout<Op>::arrays == 2 ? c.data.y : c.data.x;
  const segment_arguments<Op, Output> args{bounds_of(c),
                                           range(c.data.x),
                                           range(second),
                                           static_cast<accumulator*>(c.begun),
                                           static_cast<accumulator*>(c.ended),
                                           static_cast<cut_segment*>(c.cuts),
                                           c.bad,
                                           op,
                                           output};
  kernels::tile_map map{};
  map.inner = map.row_stride = map.index_step = 1;
  // A share of less than this is not worth a block.
  constexpr std::int64_t least_share = 4096;
  const std::int64_t most = std::int64_t{c.gpu.units} * segment_blocks_of<Op>;
  const std::int64_t shares = (c.elements + c.count + least_share - 1) / least_share;
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(shares, 1, most));
  launch_kernel(c.queue, segment_tiles<Op, Output>, blocks, tile_threads, segment_ring_bytes,
                static_cast<const T*>(c.data.x), static_cast<const T*>(second), map, args);
  constexpr unsigned warps = tile_threads / 32;
  if (blocks > 1)
    launch_kernel(c.queue, segment_ends<Op, Output>, (blocks + warps - 1) / warps, tile_threads, 0,
                  static_cast<int>(blocks), args);
}

template <op_family Family, class T>
void enqueue(const segment_call& c) {
  const auto to = output_of(c);
  if constexpr (Family == op_family::exact_sum) {
    const exact::exact_output<T> output{to, {c.lost, c.words, c.arrivals}, to.plain};
    visit_gathered<T>(c.what.nan, [&](auto fold) {
      using Op = decltype(fold);
      if constexpr (has_tiled_form<Op>) launch(c, typename Op::tiled_form{}, output);
      else launch(c, fold, output);
    });
    if constexpr (!std::is_same_v<T, f16>) enqueue_lost_sums<carrier_of<T>>(c);
  } else {
    cuda::detail::visit_instance<Family, T>(c.what, [&](auto op) { launch(c, op, to); });
  }
}

}  // namespace multifold::cuda::segments

#define MULTIFOLD_SEGMENTS(FAMILY, TYPE)                                                \
  template void multifold::cuda::segments::enqueue<multifold::op_family::FAMILY, TYPE>( \
      const multifold::cuda::segments::segment_call&);
