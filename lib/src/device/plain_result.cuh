// Results in their default dtype, without an initial value: a few instructions instead of the general lowering, because
// short rows have a result for every few elements. Each function stores element `place` of `results` and returns true,
// or leaves the case to the general way, which gives the same bits.
#pragma once

#include <concepts>
#include <cstdint>

#include "multifold/exact/near/near.hpp"
#include "multifold/ops/carried.hpp"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/tally.hpp"
#include "multifold/types/float16.hpp"

namespace multifold::inline v0_1::cuda::detail {

template <floating_storage T>
__device__ inline T round_to(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

/// What a mean is divided by: its count, as a double as well, and the reciprocal. The count is 0 where it does not
/// matter; op_kind::all compares with it.
struct divisor {
  std::int64_t count;
  double real;
  double reciprocal;

  /// x / count, rounded once (Markstein, IBM Journal of Research and Development 34, 1990), of numbers within 2^(+-900)
  /// and counts up to 2^53.
  __device__ double quotient_of(double x) const {
    double near = x * reciprocal;
    near = fma(fma(-near, real, x), reciprocal, near);
    return fma(fma(-near, real, x), reciprocal, near);
  }
};

/// Sum, or mean if there is a divisor. NaN is left to the general way, which makes it canonical.
template <class T>
__device__ bool store_plain(const float_sum<T>&, const double& value, divisor by, void* results, std::int64_t place) {
  const double x = by.count == 0 ? value : value / by.real;
  if (x != x) return false;
  static_cast<T*>(results)[place] = round_to<T>(x);
  return true;
}

/// f(T{}) with the floating element type.
template <class F>
__device__ bool with_floating(dtype element, const F& f) {
  if (element == dtype::f32) return f(float{});
  if (element == dtype::f64) return f(double{});
  if (element == dtype::f16) return f(f16{});
  return f(bf16{});
}

__device__ inline bool store_plain(const merged_float_sum& op, const double& value, divisor by, void* results,
                                   std::int64_t place) {
  return with_floating(op.element, [&]<class T>(T) { return store_plain(float_sum<T>{}, value, by, results, place); });
}

/// Sum, or mean if there is a divisor. Narrow integers have sums that double holds, all others a near value.
template <class C>
__device__ bool store_plain(const carried_sum<C>& op, const int128_t& value, divisor by, void* results,
                            std::int64_t place) {
  const auto low = static_cast<std::int64_t>(value);
  if (by.count != 0) {
    double* const out = static_cast<double*>(results) + place;
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const bool narrow = value == low && low <= most && low >= -most && by.count <= most;
    if (narrow && (sizeof(C) <= 4 || low == 0)) {
      *out = by.quotient_of(static_cast<double>(low));
      return true;
    }
    if constexpr (sizeof(C) <= 2) return false;  // beyond all that there is memory for
    return multifold::detail::round_if_certain(multifold::detail::near_quotient(value, by.count, by.reciprocal), *out);
  }
  const auto high = static_cast<std::int64_t>(value >> 64);
  if (high != (op.kind == integer_kind::without_sign ? 0 : low >> 63)) return false;
  static_cast<std::int64_t*>(results)[place] = low;
  return true;
}

/// A product that fits.
template <class C>
__device__ bool store_plain(const carried_product<C>& op, const wide_integer& value, divisor, void* results,
                            std::int64_t place) {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  const bool has_sign = op.kind != integer_kind::without_sign;
  if (value.high != 0 || value.exponent != 0 || value.inexact != 0) return false;
  if (has_sign && (value.negative != 0 ? value.low > most : value.low >= most)) return false;
  static_cast<std::uint64_t*>(results)[place] = value.negative != 0 ? 0 - value.low : value.low;
  return true;
}

/// A product, whose high part is the sum of both, rounded. Doubles beyond their normal numbers are left to the general
/// way.
template <class T>
__device__ bool store_plain(const float_product<T>&, const scaled_product& value, divisor, void* results,
                            std::int64_t place) {
  T* const out = static_cast<T*>(results) + place;
  if (multifold::detail::is_special(value.high)) {
    if (value.high != value.high) return false;
    *out = round_to<T>(value.high);
  } else if constexpr (std::is_same_v<T, double>) {
    const std::int64_t field = value.exponent + multifold::detail::exponent_field(value.high);
    if (field < 1 || field > 2046) return false;
    *out = bit_copy<double>(bit_copy<std::uint64_t>(value.high) + (static_cast<std::uint64_t>(value.exponent) << 52));
  } else {
    constexpr std::int64_t beyond = 700;  // every narrow format, whatever the high part
    const auto exponent = static_cast<int>(min(max(value.exponent, -beyond), beyond));
    *out = round_to<T>(multifold::detail::odd_of(value.high, value.low) * multifold::detail::power_of_two(exponent));
  }
  return true;
}

__device__ inline bool store_plain(const merged_float_product& op, const scaled_product& value, divisor by,
                                   void* results, std::int64_t place) {
  return with_floating(op.element,
                       [&]<class T>(T) { return store_plain(float_product<T>{1.0}, value, by, results, place); });
}

/// The element of the key's value; a NaN, or the lack of any other element, is left to the general way.
template <class T>
__device__ bool store_plain(const extremum<T>& op, const typename extremum<T>::accumulator& value, divisor,
                            void* results, std::int64_t place) {
  using key = key_of<T>;
  const auto k = static_cast<key>(value);
  if (floating_storage<T> && (k == least_key<key> || k == greatest_key<key>)) return false;
  static_cast<T*>(results)[place] = element_of_key<T>(static_cast<key>(k ^ op.policy.flip));
  return true;
}

template <class Key>
__device__ bool store_plain(const merged_extremum<Key>& op, const typename merged_extremum<Key>::accumulator& value,
                            divisor by, void* results, std::int64_t place) {
  return op.as_carried([&](const auto& each) { return store_plain(each, value, by, results, place); });
}

template <class T>
__device__ bool store_plain(const arg_extremum<T>&, const typename arg_extremum<T>::accumulator& value, divisor,
                            void* results, std::int64_t place) {
  if (value.index == arg_extremum<T>::no_index) return false;
  static_cast<std::int64_t*>(results)[place] = value.index;
  return true;
}

/// A count, or a truth.
template <class Op>
concept gives_counts = std::derived_from<Op, merged_tally>;

__device__ inline bool gives_truths(const merged_tally& op) { return op.op != op_kind::count_nonzero; }
__device__ inline std::uint8_t truth_of(const merged_tally& op, std::int64_t count, divisor by) {
  return (op.op == op_kind::any ? count != 0 : count == by.count) ? 1 : 0;
}

template <gives_counts Op>
__device__ bool store_plain(const Op& op, const std::int64_t& value, divisor by, void* results, std::int64_t place) {
  if (gives_truths(op)) static_cast<std::uint8_t*>(results)[place] = truth_of(op, value, by);
  else static_cast<std::int64_t*>(results)[place] = value;
  return true;
}

/// Operations with a plain form.
template <class Op>
concept has_plain_results = requires(const Op& op, const typename Op::accumulator& value, void* results) {
  { store_plain(op, value, divisor{}, results, std::int64_t{}) } -> std::same_as<bool>;
};

/// Bytes of one, but for truths.
template <class Op>
inline constexpr int plain_bytes = 8;
template <class T>
inline constexpr int plain_bytes<extremum<T>> = sizeof(T);

}  // namespace multifold::inline v0_1::cuda::detail
