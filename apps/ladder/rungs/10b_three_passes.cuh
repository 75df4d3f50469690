// Rung 10b: three passes.
//
// (1, N) becomes (65536, N / 65536), and the 65,536 partial results become (256, 256). Many short rows are spread
// more evenly than few long ones: an SM that is quicker takes more of them. In between, 256 blocks read what
// a single one would be slow to read.
// Defect: one more kernel has to be started, and a small array is not worth that.
// Next: no second kernel at all (10c_atomic_finish.cuh).
#pragma once

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

inline constexpr std::int64_t most_first_rows = 65536;

template <class Op>
void launch_three_passes(const run<Op>& r) {
  const shape first = reshape(r.count, most_first_rows, std::int64_t{8} * r.threads);
  const shape second = reshape(first.rows, 256, 256);
  rows_by_shuffle<8, Op>
      <<<static_cast<unsigned>(first.rows), r.threads, 0, r.stream>>>(r.all(), r.count, first.length, r.space[0]);
  check_launch();
  rows_by_shuffle<8, Op><<<static_cast<unsigned>(second.rows), r.threads, 0, r.stream>>>(
      partials<Op>{r.space[0]}, first.rows, second.length, r.space[1]);
  check_launch();
  launch_last_pass(r, 1, second.rows);
}

}  // namespace multifold::ladder::gpu
