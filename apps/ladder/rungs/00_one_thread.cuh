// Rung 0: one thread alone.
//
// A GPU runs kernels: functions marked __global__ that many threads execute at once. kernel<<<blocks, threads>>>(...)
// starts a grid of `blocks` blocks of `threads` threads each. A block runs on one of the GPU's SMs from its
// beginning to its end, and its threads are run 32 at a time: such a group is a warp, and its threads are its lanes.
// A thread finds out who it is from blockIdx, its block in the grid, and threadIdx, its place in the block.
//
// Here the grid is one block of one thread, so this is the loop that a CPU would run, and only a single lane of the
// whole GPU does anything.
// Defect: a load from memory takes several hundred cycles, and there is no other thread to work meanwhile.
// Next: a thread for every element (00_atomics.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

template <class Op, class Source>
__global__ void one_thread(Source in, std::int64_t n, typename Op::acc* out) {
  typename Op::acc all = Op::identity();
  for (std::int64_t i = 0; i < n; ++i) all = Op::combine(all, in[i]);
  *out = all;
}

/// A launch returns at once. Its work is done in the order of the stream, and r.result is there when that has come by.
template <class Op>
void launch_one_thread(const run<Op>& r) {
  one_thread<Op><<<1, 1, 0, r.stream>>>(r.all(), r.count, r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
