// Rung 10a: the array (1, N) reshaped to (I, N / I), in two passes.
//
// I is chosen for the GPU: as many rows as it can hold blocks at the same time. So no block waits for a place, and all
// end at about the same time. CUDA is asked for the number, which depends on the registers and the shared memory that
// the kernel takes. The first pass makes I partial results of N elements; the second one, of a single block, makes one
// of I. The kernel is that of rung 8.
// Defect: the second kernel starts when the last block of the first one has ended, and then one SM works
// and all others wait. For a small array, that start is a good part of the time.
// Next: whether more passes are better (10b_three_passes.cuh), and ways to do without a second kernel (10c to 10e).
#pragma once

#include <map>
#include <tuple>

#include "09_batched.cuh"

namespace multifold::ladder::gpu {

/// How many blocks of `kernel` the GPU can hold at once. CUDA is asked the first time only: the GPU has nothing to do
/// while it thinks, and a rung's time is what the GPU takes from one run's begin to its end.
template <class... Parameters>
std::int64_t resident_blocks(void (*kernel)(Parameters...), int threads, std::size_t shared_bytes,
                             int multiprocessors) {
  static std::map<std::tuple<int, void (*)(Parameters...), int, std::size_t>, int> known;
  int device = 0;
  check(cudaGetDevice(&device));
  int& blocks = known[{device, kernel, threads, shared_bytes}];
  if (blocks == 0) check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  if (blocks == 0)
    throw unsupported_error("the GPU has no room for a block of " + std::to_string(threads) + " threads");
  return std::int64_t{blocks} * multiprocessors;
}

/// A row for each block that the GPU can hold; fewer rows if a thread would have less than eight elements.
template <class Op, class... Parameters>
shape reshape_for_device(const run<Op>& r, void (*kernel)(Parameters...)) {
  return reshape(r.count, resident_blocks(kernel, r.threads, 0, r.multiprocessors), std::int64_t{8} * r.threads);
}

/// The last pass: one block makes one of `n` partial results in r.space[which].
template <class Op>
void launch_last_pass(const run<Op>& r, int which, std::int64_t n) {
  rows_by_shuffle<8, Op><<<1, r.threads, 0, r.stream>>>(partials<Op>{r.space[which]}, n, n, r.result);
  check_launch();
}

template <class Op>
void launch_two_passes(const run<Op>& r) {
  const shape as = reshape_for_device(r, rows_by_shuffle<8, Op, elements<Op>>);
  rows_by_shuffle<8, Op>
      <<<static_cast<unsigned>(as.rows), r.threads, 0, r.stream>>>(r.all(), r.count, as.length, r.space[0]);
  check_launch();
  launch_last_pass(r, 0, as.rows);
}

}  // namespace multifold::ladder::gpu
