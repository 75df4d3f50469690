// Sums of whole runs that the lanes of a group keep in turn, so that all lanes of a warp deliver at once.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Operations whose results are so much work that one lane of a group should not do it while the others wait: of whole
/// runs, and of accumulators, which all lanes have alike.
template <class Op, bool Whole>
inline constexpr bool keeps_sums = [] {
  if constexpr (Whole && requires { run_sweeps<Op>::keeps; }) return run_sweeps<Op>::keeps;
  else if constexpr (!Whole && requires { Op::keeps; }) return Op::keeps;
  else return false;
}();

/// The sum of a run that a lane keeps, if any.
template <class Sum>
struct kept_sum {
  static constexpr std::int64_t none = -1;
  Sum sum;
  std::int64_t batch = none;
};

/// What lanes keep the sums of runs in.
template <class Op, bool Whole, bool Keeps = keeps_sums<Op, Whole>>
struct kept_sums {
  struct type {};
};
template <class Op>
struct kept_sums<Op, true, true> {
  using type = kept_sum<typename run_sweeps<Op>::whole_sum>;
};
template <class Op>
struct kept_sums<Op, false, true> {
  using type = kept_sum<typename Op::accumulator>;
};

/// Delivers what the lanes of a warp keep. The whole warp calls.
template <class Op, class Output, class Sum>
__device__ __noinline__ void deliver_kept(const pass_arguments<Op, Output>* args, kept_sum<Sum>& kept) {
  if (kept.batch != kept.none) args->output(args->op, kept.batch, kept.sum);
  kept.batch = kept.none;
  __syncwarp();
}

/// Keeps the sums of the runs of one step of a warp, which all lanes of a group have, in the group's next lane, and
/// delivers once all lanes have kept one. A group of one lane delivers at once.
template <class Op, class Output, class Sum>
struct sum_keeper {
  const pass_arguments<Op, Output>* args;
  kept_sum<Sum>& kept;
  int& steps;  // since the last delivery: the same in all lanes
  std::int64_t batch;
  int lane, group;  // of a run
  bool active;      // whether there is a run

  __device__ void operator()(const Sum& sum) const {
    if (lane == steps && active) {
      kept.sum = sum;
      kept.batch = batch;
    }
    if (++steps < group) return;
    steps = 0;
    deliver_kept(args, kept);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
