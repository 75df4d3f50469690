// Exact sums of runs of a few elements that a thread has alone, which are stored in the order of batches. See
// docs/exact-sums.md, 14.
#pragma once

#include <type_traits>

#include "multifold/cuda/kernels/runs/short_runs.cuh"
#include "multifold/exact/short_sum.hpp"
#include "multifold/exact/windows.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Of narrow elements, plain sums are enough for ordinary data, as the range of their exponents tells; else, and always
/// of doubles, sums with their errors, of a few.
template <floating_storage T>
struct short_runs<expansion_sum<T>> {
  static constexpr int few = most_short_run(sizeof(T));
  static constexpr int most_rows = sizeof(T) == 8 ? few : most_run_share, together = sizeof(T) == 8 ? 1 : 4;

  /// The runs of a thread's columns. Returns 0 if all are stored.
  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const expansion_sum<T>&, const Walk& walk,
                                                     const short_place& place,
                                                     const whole_columns<Width, expansion_sum<T>, Output>& columns) {
    if constexpr (sizeof(T) == 8) {
      static_assert(Width == 1);
      return columns.store(whole_sums<1, short_sum>{{sum_of(walk, place.rows, 0)}});
    } else {
      whole_sums<Width, double> sum;
#pragma unroll
      for (double& each : sum.of) each = -0.0;
      magnitude_scan<T> scan;
      Walk ahead = walk;
      each_short_row<T, 1, 8 / Width>(ahead, place, columns.offsets(place.span),
                                      [&](const T(&row)[Width], const auto&, int) {
#pragma unroll
                                        for (int j = 0; j < Width; ++j) {
                                          if constexpr (sizeof(T) == 2) scan.see(to_float(row[j]));
                                          else scan.see(row[j]);
                                          sum.of[j] += to_double(row[j]);
                                        }
                                      });
      if (exponent_range<T>(scan).fits(log_of_count(place.rows))) return columns.store(sum);
      return place.rows > few ? 1 : one_by_one(walk, place.rows, place.span, columns);
    }
  }

 private:
  template <class Walk>
  __device__ __forceinline__ static short_sum sum_of(Walk walk, int rows, int offset) {
    const auto next = [&] { return to_double(*reinterpret_cast<const T*>(walk.take(true) + offset)); };
    const double first = next();
    if (rows == 1) return short_sum::of(first);
    short_sum sum = short_sum::of(first, next());
#pragma unroll 1
    for (int left = rows - 2; left >= 2; left -= 2) {
      const double x = next(), y = next();
      sum.add(x);
      sum.add(y);
    }
    if (rows > 2 && rows % 2 != 0) sum.add(next());
    return sum;
  }

  // Out of line, as what ordinary data do not need.
  template <class Walk, int Width, class Output>
  __device__ __noinline__ static unsigned one_by_one(Walk walk, int rows, int span,
                                                     whole_columns<Width, expansion_sum<T>, Output> columns) {
    unsigned left = 0;
#pragma unroll 1
    for (int j = 0; j < Width && columns.has(j); ++j) {
      left |= columns.alone(j).store(whole_sums<1, short_sum>{{sum_of(walk, rows, j * span)}});
    }
    return left;
  }
};

/// Of f16, plain sums are exact.
template <>
struct short_runs<half_sum> {
  static constexpr int most_rows = most_run_share, together = 4;
  static_assert(most_rows <= half_sum::lane_capacity);

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const half_sum&, Walk walk, const short_place& place,
                                                     const whole_columns<Width, half_sum, Output>& columns) {
    whole_sums<Width, double> sum;
#pragma unroll
    for (double& each : sum.of) each = -0.0;
    each_short_row<f16, 1, 8 / Width>(walk, place, columns.offsets(place.span),
                                      [&](const f16(&row)[Width], const auto&, int) {
#pragma unroll
                                        for (int j = 0; j < Width; ++j) sum.of[j] += to_double(row[j]);
                                      });
    return columns.store(sum);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
