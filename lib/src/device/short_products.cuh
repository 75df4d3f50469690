// Products of floating point of a few elements that a thread has alone: exact in one binary64 or two, whatever they
// are.
#pragma once

#include <type_traits>

#include "device/plain_result.cuh"
#include "multifold/cuda/kernels/short_runs.cuh"
#include "multifold/ops/product.hpp"

namespace multifold::cuda::kernels {

/// So many elements have a product that is a binary64, whatever they are: 4 of 11 bits, of 8 bits, 2 of 24; and all
/// that are taken so one that is two, the lower of which is a multiple of the least product of all: 2^-192 of f16,
/// 2^-931 of bf16, 2^-596 of f32. A product of two f64 is rounded as it is.
template <floating_storage T>
struct short_runs<float_product<T>> {
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int half = wide || sizeof(T) == 4 ? 2 : 4;
  static constexpr int most_rows = wide ? 2 : std::is_same_v<T, bf16> ? 7 : 2 * half;
  static constexpr int together = 4;

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const float_product<T>& op, Walk walk, const short_place& place,
                                                     const whole_columns<Width, float_product<T>, Output>& columns) {
    const column_offsets<Width> offset = columns.offsets(place.span);
    const bool omits = op.nan_value == op.nan_value;
    double first[Width];
    multiply(walk, min(place.rows, half), offset, omits, first);
    whole_sums<Width, T> product;
    unsigned left = 0;
    if (wide || place.rows <= half) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        product.of[j] = cuda::detail::round_to<T>(first[j]);
        if (first[j] != first[j]) left = 1;
      }
    } else {
      double second[Width];
      multiply(walk, place.rows - half, offset, omits, second);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const double p = __dmul_rn(first[j], second[j]), rest = __fma_rn(first[j], second[j], -p);
        product.of[j] = cuda::detail::round_to<T>(multifold::detail::odd_of(p, rest));
        if (p != p) left = 1;
      }
    }
    if (left == 0) columns.store(product);
    return left;  // a NaN is to become the canonical one
  }

 private:
  template <class Walk, int Width>
  __device__ __forceinline__ static void multiply(Walk& walk, int rows, const column_offsets<Width>& offset, bool omits,
                                                  double (&product)[Width]) {
#pragma unroll
    for (double& each : product) each = 1;
    each_short_row<T>(walk, {rows}, offset, [&](const T(&row)[Width], const auto&, int) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const double x = to_double(row[j]);
        product[j] = __dmul_rn(product[j], omits && x != x ? 1.0 : x);
      }
    });
  }
};

}  // namespace multifold::cuda::kernels
