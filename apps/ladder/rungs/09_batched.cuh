// Rung 9: a batch of long rows, by a tree in shared memory and by shuffles.
//
// 2048 rows of 262,144 elements are a typical batch: one row a block, one result a row. 1024 elements come to each of
// 256 threads, and about ten steps follow at the end of a row. The two kernels differ in that end alone, so their times
// should hardly differ: a good end is no longer what counts.
// An array of more elements makes longer rows, one of fewer makes fewer rows. A second pass of one block adds up the
// results of the rows, and the whole array is reduced.
// Defect: the number of rows comes from the array and not from the GPU. 2048 blocks may be fifteen for each
// SM, of which eight run at once: the second turn leaves some of them idle. Few rows leave most so.
// Next: the array is reshaped to suit the GPU (10a_two_passes.cuh).
#pragma once

#include "08_shuffle.cuh"

namespace multifold::ladder::gpu {

/// An array as a matrix. The last row may be shorter.
struct shape {
  std::int64_t rows, length;
};

/// `n` elements as `most_rows` rows, or as fewer rows of `least_length`. All rows begin at a multiple of 32 elements:
/// what a warp loads at once then lies in as few lines of the cache as it can.
inline shape reshape(std::int64_t n, std::int64_t most_rows, std::int64_t least_length) {
  const std::int64_t length = ceil_div(std::max(ceil_div(n, most_rows), least_length), 32) * 32;
  return {ceil_div(n, length), length};
}

enum class block_end { tree, shuffle };

template <block_end End, class Op, class Source>
__global__ void __launch_bounds__(most_threads)
    batched(Source in, std::int64_t n, std::int64_t length, typename Op::acc* out) {
  const typename Op::acc mine = fold_row<8, Op>(in, row_of_block(n, length));
  if constexpr (End == block_end::tree) {
    __shared__ typename Op::acc s[most_threads];
    s[threadIdx.x] = mine;
    tree<Op>(s);
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
  } else {
    const typename Op::acc all = reduce_block<Op>(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
  }
}

template <block_end End, class Op>
void launch_batched(const run<Op>& r) {
  const shape as = reshape(r.count, 2048, 262144);
  batched<End, Op><<<static_cast<unsigned>(as.rows), r.threads, 0, r.stream>>>(r.all(), r.count, as.length, r.space[0]);
  check_launch();
  batched<End, Op><<<1, r.threads, 0, r.stream>>>(partials<Op>{r.space[0]}, as.rows, as.rows, r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
