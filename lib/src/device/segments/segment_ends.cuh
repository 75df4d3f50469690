// What shares of the work leave of segments that they have in common.
#pragma once

#include "device/exact/run_sums.cuh"
#include "device/segments/pieces.cuh"

namespace multifold::cuda::segments {

/// The segments that begin in one share of the work and end in another, a warp each.
template <class Op, class Output>
__global__ void __launch_bounds__(tile_threads)
    segment_ends(int shares, const __grid_constant__ segment_arguments<Op, Output> args) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int share = static_cast<int>(blockIdx.x * (tile_threads / 32) + threadIdx.x / 32);
  if (share >= shares || args.cuts[share].begun == 0) return;
  int last = share + 1;
  for (int going = 32; going == 32; last += going) {  // to the one that it ends in
    const bool on = last + lane < shares && args.cuts[last + lane].goes_on != 0;
    const unsigned ends = ~__ballot_sync(kernels::whole_warp, on);
    going = ends == 0 ? 32 : __ffs(static_cast<int>(ends)) - 1;
  }
  auto value = args.op.identity();
  kernels::special_marks marks;
  for (int i = share + lane; i <= last && i < shares; i += 32) {
    value = args.op.combine(value, i == share ? args.begun[i] : args.ended[i]);
    marks.bits |= i == share ? args.cuts[i].begun_marks : args.cuts[i].ended_marks;
  }
#pragma unroll 1
  for (int mask = 16; mask > 0; mask /= 2) value = kernels::meet(args.op, value, mask);
  const std::int64_t segment = args.cuts[share].begun - 1;
  marks.bits = __reduce_or_sync(kernels::whole_warp, marks.bits);
  if (lane != 0) return;
  Output output = args.output;
  set_length(output, args.bounds.length(segment));
  if constexpr (requires { output(args.op, segment, marks); }) {
    if (marks.bits != 0) return output(args.op, segment, marks);
  }
  output(args.op, segment, value);
}

}  // namespace multifold::cuda::segments
