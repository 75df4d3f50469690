// Rung 7: many additions a thread, and then a tree: algorithm cascading.
//
// A tree adds n numbers in log2(n) steps, but keeps n threads for it, of which nearly all wait. Brent's theorem (1974)
// says what is better: with n / log2(n) threads, each of which first adds log2(n) numbers by itself, there are still
// about log2(n) steps, and no thread is idle for most of them. In practice a thread adds even more, since its own
// additions need no barrier.
//
// Here the input is a matrix of m rows of n elements, and each block adds a row: a thread takes every blockDim.x-th
// element of it, `Fold` of them in one turn of the loop, so that as many loads are under way. That is a batched
// reduction. An array is a matrix too, once a length is chosen for its rows; the last row may be shorter.
// With so much to add before it, the tree matters little: that of rung 5 will do, for all sizes of a block.
// Defect: all of the tree's values go through shared memory, with a barrier for each step.
// Next: lanes pass values to each other directly (08_shuffle.cuh).
#pragma once

#include "05_last_warp.cuh"

namespace multifold::ladder::gpu {

/// A part of an array: elements begin to end - 1, which may be none.
struct row {
  std::int64_t begin, end;
};

/// The row of the calling block, of an array of n elements whose rows have `length`.
__device__ inline row row_of_block(std::int64_t n, std::int64_t length) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * length;
  if (begin >= n) return {n, n};
  return {begin, n - begin < length ? n : begin + length};
}

/// What the calling thread makes of its elements of the row.
template <int Fold, class Op, class Source>
__device__ typename Op::acc fold_row(const Source& in, row part) {
  typename Op::acc mine = Op::identity();
  const std::int64_t width = blockDim.x;
  std::int64_t i = part.begin + threadIdx.x;
  for (; i + (Fold - 1) * width < part.end; i += Fold * width) {
#pragma unroll
    for (int k = 0; k < Fold; ++k) mine = Op::combine(mine, in[i + k * width]);
  }
  for (; i < part.end; i += width) mine = Op::combine(mine, in[i]);
  return mine;
}

template <int Fold, class Op, class Source>
__global__ void __launch_bounds__(most_threads)
    rows_by_tree(Source in, std::int64_t n, std::int64_t length, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  s[threadIdx.x] = fold_row<Fold, Op>(in, row_of_block(n, length));
  tree<Op>(s);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

/// Rows of as many elements that each thread adds 32.
template <class Op>
void launch_cascading(const run<Op>& r) {
  const std::int64_t length = std::int64_t{r.threads} * 32;
  in_passes(r, length, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    rows_by_tree<8, Op><<<blocks, r.threads, 0, r.stream>>>(in, n, length, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
