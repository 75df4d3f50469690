// What shares of the work leave of segments that they have in common.
#pragma once

#include "device/exact/run_sums.cuh"
#include "device/segments/staged_segments.cuh"

namespace multifold::inline v0_1::cuda::segments {

inline constexpr int ends_threads = 128, ends_shares = 8;  // of a block

/// The last share that has elements of the segment which begins in `share`. All threads of the block call.
__device__ inline int last_share_of_segment(const cut_segment* cuts, int share, int shares) {
  __shared__ int end;
  constexpr int at_once = 4;
  if (threadIdx.x == 0) end = shares;
  __syncthreads();
  int i = share + 1 + static_cast<int>(threadIdx.x);
  for (bool ends = false; __syncthreads_or(ends) == 0; i += at_once * ends_threads) {
    bool ends_at[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int each = i + k * ends_threads;
      ends_at[k] = each >= shares || cuts[each].goes_on == 0;
    }
#pragma unroll
    for (int k = at_once - 1; k >= 0; --k) {
      if (ends_at[k]) atomicMin(&end, i + k * ends_threads);
      ends = ends || ends_at[k];
    }
  }
  return min(end, shares - 1);
}

/// The value of a segment, which is stored. Out of line: it is a lot of code.
template <class Op, class Output>
__device__ __noinline__ void deliver_ended(const segment_arguments<Op, Output>& args, std::int64_t segment,
                                           const typename Op::accumulator& value, kernels::special_marks marks) {
  Output output = args.output;
  set_length(output, args.bounds.length(segment));
  if constexpr (requires { output(args.op, segment, marks); }) {
    if (marks.bits != 0) return output(args.op, segment, marks);
  }
  output(args.op, segment, value);
}

/// The segments that begin in one share of the work and end in another. A block has a few shares, and all of its
/// threads merge what shares have of a segment.
template <class Op, class Output>
__global__ void __launch_bounds__(ends_threads)
    segment_ends(int shares, const __grid_constant__ segment_arguments<Op, Output> args) {
  using accumulator = typename Op::accumulator;
  constexpr int warps = ends_threads / 32;
  alignas(16) __shared__ std::byte values[warps][sizeof(accumulator)];
  __shared__ unsigned bits[warps];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int first = static_cast<int>(blockIdx.x) * ends_shares;
  unsigned left = __ballot_sync(kernels::whole_warp,
                                lane < ends_shares && first + lane < shares && args.cuts[first + lane].begun != 0);
  const auto merge_warp = [&](accumulator& value, kernels::special_marks& marks) {
#pragma unroll 1
    for (int mask = 16; mask > 0; mask /= 2) value = kernels::meet(args.op, value, mask);
    marks.bits = __reduce_or_sync(kernels::whole_warp, marks.bits);
  };
  for (; left != 0; left &= left - 1) {
    const int share = first + __ffs(static_cast<int>(left)) - 1;
    const int last = last_share_of_segment(args.cuts, share, shares);
    accumulator value = args.op.identity();
    kernels::special_marks marks;
    for (int i = share + thread; i <= last; i += ends_threads) {
      value = args.op.combine(value, i == share ? args.begun[i] : args.ended[i]);
      marks.bits |= i == share ? args.cuts[i].begun_marks : args.cuts[i].ended_marks;
    }
    if (share + warp * 32 <= last) merge_warp(value, marks);
    if (lane == 0) {
      memcpy(values[warp], &value, sizeof value);
      bits[warp] = marks.bits;
    }
    __syncthreads();
    if (warp == 0) {
      if (last - share >= 32) {
        if (lane > 0) {
          value = args.op.identity();
          marks.bits = 0;
          if (lane < warps) {
            memcpy(&value, values[lane], sizeof value);
            marks.bits = bits[lane];
          }
        }
        merge_warp(value, marks);
      }
      if (lane == 0) deliver_ended(args, args.cuts[share].begun - 1, value, marks);
      __syncwarp();
    }
  }
}

}  // namespace multifold::inline v0_1::cuda::segments
