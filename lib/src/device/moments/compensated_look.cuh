// What a lane gathers of a run of floating point in one look: its sum and that of its squares, compensated, and how fine
// its elements are. What they are off by follows from that, and no exponent has to be known before. See
// docs/exact-sums.md, 14.
#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

#include "device/exact/group_exchange.cuh"
#include "device/exact/run_sums.cuh"
#include "device/moments/near_totals.cuh"
#include "multifold/exact/expansions/compensated.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// What lanes exchange of a sum.
struct lane_sum_and_errors : multifold::detail::compensated_sum {};
__device__ inline void merge_with(lane_sum_and_errors& sum, int mask) {
  const double high = __shfl_xor_sync(whole_warp, sum.high, mask), low = __shfl_xor_sync(whole_warp, sum.low, mask);
  sum.merge({high, low});
}

/// How fine elements are: of which power of two all of them are multiples.
template <floating_storage T>
struct element_unit {
  std::uint32_t least = 0xffffffffu;  // twice the least pattern less one, so that zeros are none

  __device__ void see(float x) {
    const std::uint32_t bits = __float_as_uint(x);
    least = min(least, bits + bits - 1);
  }
  __device__ void merge(int mask) { least = min(least, __shfl_xor_sync(whole_warp, least, mask)); }
  __device__ int exponent() const {
    return max(static_cast<int>((least + 1) >> 24), 1) - 127 - multifold::detail::float_layout<T>::mantissa_bits;
  }
};
/// Of doubles that have no more than an upper word: of others it may be any.
template <>
struct element_unit<double> {
  std::uint32_t least = 0xffffffffu, low_words = 0;

  __device__ void see(double x) {
    const auto high_word = static_cast<std::uint32_t>(__double2hiint(x));
    least = min(least, high_word + high_word - 1);
    low_words |= static_cast<std::uint32_t>(__double2loint(x));
  }
  __device__ void merge(int mask) {
    least = min(least, __shfl_xor_sync(whole_warp, least, mask));
    low_words |= __shfl_xor_sync(whole_warp, low_words, mask);
  }
  __device__ int exponent() const {
    if (low_words != 0) return multifold::detail::compensated_run::no_unit;
    return max(static_cast<int>((least + 1) >> 21), 1) - 1023 - 20;
  }
};
template <floating_storage T>
__device__ void merge_with(element_unit<T>& unit, int mask) {
  unit.merge(mask);
}

/// What lanes have gathered of a run together, as it is kept until it is rounded.
template <bool Wide, moment_set Set>
struct gathered_moments;
template <bool Wide>
struct gathered_moments<Wide, moment_set::absolute> {
  double x, x_low;
  std::int32_t unit, start;
};
template <bool Wide>
struct gathered_moments<Wide, moment_set::squares> {
  double squares, squares_low;
  std::int32_t unit, start;  // exponents: elements are multiples of the first one, and squares began at the second one
};
template <>
struct gathered_moments<false, moment_set::spread> {
  double x, squares, squares_low;
  std::int32_t unit, start;
};
template <>
struct gathered_moments<true, moment_set::spread> {
  double x, squares, squares_low, x_low;
  std::int32_t unit, start;
};

/// `Plain`: of elements of 2 bytes, whose squares are added up with no more ado.
template <floating_storage T, moment_set Set, bool Plain = false>
struct compensated_look {
  static constexpr bool wide = sizeof(T) == 8, sums = sums_elements(Set), multiplies = sums_products(Set);
  // Of magnitudes nothing cancels, so that their errors are little beside them, whatever they are.
  static constexpr bool pairs = wide || Set == moment_set::absolute;
  static constexpr bool starts = multiplies && !wide && !Plain;
  using compensated_sum = lane_sum_and_errors;
  using squares_type =
      std::conditional_t<!multiplies, multifold::detail::nothing<0>,
                         std::conditional_t<Plain, multifold::detail::plain_squares,
                                            std::conditional_t<wide, multifold::detail::compensated_squares,
                                                               multifold::detail::started_squares>>>;
  using gathered = gathered_moments<wide, Set>;
  static constexpr std::int32_t no_start = INT_MIN, plainly = INT_MAX;

  std::conditional_t<pairs, compensated_sum, double> x;
  squares_type squares;
  element_unit<T> unit;

  __device__ explicit compensated_look(double start) : squares(squares_of(start)) {
    if constexpr (!pairs) x = -0.0;
  }

  __device__ void see(T element, int) {
    const auto value = looked_at(element);
    unit.see(value);
    const auto number = static_cast<double>(value), taken = Set == moment_set::absolute ? fabs(number) : number;
    if constexpr (sums && pairs) x.add(taken);
    else if constexpr (sums) x += taken;
    if constexpr (multiplies) squares.add(number);
  }

  /// Meets with the other lanes of a group. `start` becomes what a run like this one may begin at.
  template <bool InWarp = false>
  __device__ __forceinline__ gathered meet(int group, double& start) {
    std::conditional_t<Plain, double, compensated_sum> all;
    if constexpr (Plain) all = squares.high;
    else if constexpr (multiplies) all = {sum_of(squares)};
    if constexpr (InWarp) merge_in_warp(group, merged_if<sums>(x), merged_if<multiplies>(all), unit);
    else merge_group(group, merged_if<sums>(x), merged_if<multiplies>(all), unit);
    gathered of;
    of.unit = unit.exponent();
    of.start = Plain ? plainly : no_start;
    if constexpr (sums && pairs) of.x = x.high, of.x_low = x.low;
    else if constexpr (sums) of.x = x;
    if constexpr (Plain) of.squares = all, of.squares_low = 0;
    else if constexpr (multiplies) of.squares = all.high, of.squares_low = all.low;
    if constexpr (starts) {
      if (start > 0) of.start = multifold::detail::exponent_of_start(start);
      start = multifold::detail::start_of_squares(of.squares);
    }
    return of;
  }

  /// As they are rounded, of `count` elements, at most `share` a lane. False if they are not known well enough.
  __device__ static bool totals_of(const gathered& all, int count, int share, moments::near_totals& of) {
    multifold::detail::compensated_run run{count, share, 0.0, 0.0, all.unit};
    if constexpr (multiplies) run.squares = all.squares + all.squares_low;
    else run.squares = all.x * all.x;
    if (all.start != no_start && all.start != plainly) run.start = multifold::detail::power_of_two(all.start);
    multifold::detail::compensated_errors errors;
    if constexpr (pairs) errors = run.wide_errors();
    else errors = all.start == plainly && multiplies ? run.plain_errors() : run.narrow_errors();
    if constexpr (sums && pairs) of.x = moments::near_of_parts(all.x, all.x_low);
    else if constexpr (sums) of.x = {all.x, 0.0, 0.0};
    bool well = is_finite(run.squares);
    if constexpr (wide) well = well && (run.squares == 0 || (run.squares > 0x1p-390 && run.squares < 0x1p390));
    if constexpr (Set == moment_set::absolute) {
      of.x.error = errors.x;
      return well && is_within(errors.x, all.x);
    } else if constexpr (Set == moment_set::squares) {
      of.products = moments::near_of_parts(all.squares, all.squares_low, errors.products);
      return well && is_within(errors.products, run.squares);
    } else {
      // What the numerator is off by, all of it as if squares were.
      const double n = count, error = fma(n, errors.products, errors.x * fma(2.0, fabs(all.x), errors.x));
      of.products = moments::near_of_parts(all.squares, all.squares_low, error == 0 ? 0.0 : error / n * (1 + 0x1p-40));
      return well && is_within(error, fma(n, run.squares, -(all.x * all.x)));
    }
  }

 private:
  __device__ static squares_type squares_of(double start) {
    if constexpr (starts) return squares_type(start);
    else return {};
  }
  __device__ static multifold::detail::compensated_sum sum_of(const squares_type& all) {
    if constexpr (wide) return all.sum;
    else return all.sum();
  }
  __device__ static bool is_finite(double v) { return v - v == 0; }
  // Of what is rounded to 24 bits, more may be uncertain: nearly all that rough_covariance() takes.
  __device__ static bool is_within(double error, double size) {
    return error <= (wide ? 0x1p-62 : 0x1.8p-48) * fabs(size);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
