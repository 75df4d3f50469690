// Where the sums of batches go that lie in a tile as a whole.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Where the sum of a whole run goes. A small value, for functions that are kept out of line.
template <class Op, class Output>
struct whole_batch {
  const pass_arguments<Op, Output>* args;
  std::int64_t batch;
  bool leaves;

  template <class Sum>
  __device__ void operator()(const Sum& sum) const {
    using sweeps = run_sweeps<Op>;
    if (!leaves) return;
    if (args->partials.data == nullptr) args->output(args->op, batch, sum);
    else if constexpr (sweeps::hands_on) args->partials.data[batch] = sweeps::accumulator_of(sum);
  }
};

/// The whole runs of a thread's columns: the first `left` of a row's, `apart` from each other, are there.
template <int Width, class Op, class Output>
struct whole_columns {
  const pass_arguments<Op, Output>* args;
  std::int64_t batch;
  int apart, left;

  __device__ bool has(int j) const { return j * apart < left; }
  /// Bytes from the first column to each: to one that is there, else to itself.
  __device__ int offset(int j, int span) const { return has(j) ? j * span : 0; }
  __device__ column_offsets<Width> offsets(int span) const {
    column_offsets<Width> offset;
#pragma unroll
    for (int j = 0; j < Width; ++j) offset.of[j] = this->offset(j, span);
    return offset;
  }
  __device__ whole_batch<Op, Output> column(int j) const { return {args, batch + j * apart, has(j)}; }
  __device__ whole_columns<1, Op, Output> alone(int j) const { return {args, batch + j * apart, 1, has(j) ? 1 : 0}; }
  /// Where results are in the order of batches: stores those that can be. Returns a bit for each that is not.
  template <class Sum>
  __device__ unsigned store(const whole_sums<Width, Sum>& sums) const {
    return args->output.store_side_by_side(*this, sums);
  }
  /// Delivers a sum a column.
  template <class Sum>
  __device__ void operator()(const whole_sums<Width, Sum>& sums) const {
    unsigned left = ~0u;  // columns, a bit each
    if (args->partials.data == nullptr) left = args->output.store_in_order(*this, sums);
    if (left != 0) deliver_each(*this, sums, left);
  }

 private:
  template <class Sum>
  __device__ __noinline__ static void deliver_each(whole_columns columns, whole_sums<Width, Sum> sums, unsigned which) {
#pragma unroll 1
    for (int j = 0; j < Width; ++j) {
      if ((which >> j & 1u) == 0) continue;
      Sum sum = sums.of[0];
#pragma unroll
      for (int k = 1; k < Width; ++k) {
        if (k == j) sum = sums.of[k];
      }
      columns.column(j)(sum);
    }
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
