// Products of runs that a thread has alone. Of a few elements of floating point they are exact in one double or two,
// whatever they are; of integers in a word of 64 bits, or they are left to the general way.
#pragma once

#include <algorithm>
#include <type_traits>

#include "device/plain_result.cuh"
#include "multifold/cuda/kernels/absorb/product.cuh"
#include "multifold/cuda/kernels/runs/short_runs.cuh"
#include "multifold/ops/product.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// So many elements have a product that is a double, whatever they are: 4 of 11 bits, of 8 bits, 2 of 24; and all
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
    double first[Width];
    multiply(walk, min(place.rows, half), offset, op, first);
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
      multiply(walk, place.rows - half, offset, op, second);
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
  __device__ __forceinline__ static void multiply(Walk& walk, int rows, const column_offsets<Width>& offset,
                                                  const float_product<T>& op, double (&product)[Width]) {
#pragma unroll
    for (double& each : product) each = 1;
    const auto factor = [&](T element) {
      if constexpr (wide) return element != element ? op.nan_value : element;
      else return detail::factor_as_float(op, element);
    };
#pragma unroll 1
    for (int left = rows; left >= 2; left -= 2) {
      T x[2][Width];
      load_short_rows(walk, offset, x);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        product[j] = __dmul_rn(product[j], detail::product_of_two<T>(factor(x[0][j]), factor(x[1][j])));
      }
    }
    if (rows % 2 == 0) return;
    T x[1][Width];
    load_short_rows(walk, offset, x);
#pragma unroll
    for (int j = 0; j < Width; ++j) product[j] = __dmul_rn(product[j], factor(x[0][j]));
  }
};

template <class C>
struct short_runs<carried_product<C>> {
  static constexpr int most_rows = INT16_MAX;  // whatever a tile holds
  static constexpr int together = std::min<int>(4, 8 / sizeof(C));

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const carried_product<C>& op, const Walk& walk,
                                                     const short_place& place,
                                                     const whole_columns<Width, carried_product<C>, Output>& columns) {
    return op.with_element([&]<class T>(T) { return columns_of<T>(walk, place, columns); });
  }

 private:
  template <class T, class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns_of(
      Walk walk, const short_place& place, const whole_columns<Width, carried_product<C>, Output>& columns) {
    constexpr int at_once = 8 / sizeof(C), most = std::max(2, at_once);
    const column_offsets<Width> offset = columns.offsets(place.span);
    long_product_word<T> product[Width];
#pragma unroll
    for (auto& each : product) each = 1;
    bool fits = true;
    const auto some = [&]<int Loads>() {
      C x[Loads][Width];
      load_short_rows(walk, offset, x);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        C column[Loads];
#pragma unroll
        for (int k = 0; k < Loads; ++k) column[k] = x[k][j];
#pragma unroll
        for (int k = 0; k < Loads; k += at_once)
          fits &= detail::multiply_if_fits(product[j], detail::product_of_eight_bytes<T>(column, k));
      }
    };
#pragma unroll 1
    for (int left = place.rows; left >= most; left -= most) some.template operator()<most>();
    if (most > 4 && (place.rows & 4) != 0) some.template operator()<4>();
    if (most > 2 && (place.rows & 2) != 0) some.template operator()<2>();
    if ((place.rows & 1) != 0) some.template operator()<1>();
    if (!fits) return 1;
    whole_sums<Width, std::uint64_t> result;
#pragma unroll
    for (int j = 0; j < Width; ++j) result.of[j] = static_cast<std::uint64_t>(product[j]);
    return columns.store(result);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
