// Variances and deviations of two elements that a thread has alone, of their difference.
#pragma once

#include "device/moments/tile_fold.cuh"
#include "multifold/cuda/kernels/short_runs.cuh"
#include "multifold/exact/spread_of_two.hpp"

namespace multifold::cuda::kernels {

template <floating_storage T>
struct short_runs<moments::moment_fold<T, moment_set::spread>> {
  using fold = moments::moment_fold<T, moment_set::spread>;
  static constexpr int most_rows = 2;

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const fold&, Walk walk, int rows, int span,
                                                     const whole_columns<Width, fold, Output>& columns) {
    if (rows != 2) return 1;  // a count in memory may say so
    const column_offsets<Width> offset = columns.offsets(span);
    T x[2][Width];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int number;
      const std::byte* const at = walk.take(true, number);
#pragma unroll
      for (int j = 0; j < Width; ++j) x[i][j] = *reinterpret_cast<const T*>(at + offset.of[j]);
    }
    const auto& to = columns.args->output.to;
    const bool has_root = to.op == op_kind::std;
    T* out = static_cast<T*>(to.data) + columns.batch;
    unsigned left = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      T result{};
      const bool known = multifold::detail::round_spread_of_two(to_double(x[0][j]), to_double(x[1][j]), to.correction,
                                                                has_root, result);
      if (!columns.has(j)) continue;
      if (known) *out = result;
      else left = 1;
    }
    return left;
  }
};

}  // namespace multifold::cuda::kernels
