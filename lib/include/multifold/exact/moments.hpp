// Variance and covariance of one pass, without cancellation: (n P - S T) / (n (n - ddof)) in integers.
// See docs/exact-sums.md, 16.
#pragma once

#include <cstdint>

#include "multifold/error.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/exact/natural.hpp"

namespace multifold::inline v0_1 {

/// The covariance of x and y from their sums and the sum of their products; `ddof` as in NumPy: degrees of freedom
/// that are taken off the count (its `correction`), and nothing is left below zero.
///
/// Numerics: exact up to the one rounding of the result. NaN for no inputs, and if any of them is not finite.
/// Throws:   shape_error if the three count different numbers of inputs.
template <storage_type T>
MULTIFOLD_HD exact_value exact_covariance(const exact_sum<T>& x, const exact_sum<T>& y, const exact_dot<T>& products,
                                          std::int64_t ddof = 0) {
  using sum_format = exact_traits<T>;
  using product_format = exact_product_traits<T>;
  const std::int64_t n = products.counters().n;
  if (x.counters().n != n || y.counters().n != n) {
    detail::refuse<shape_error>("a covariance needs two sums and a sum of products over the same number of inputs");
  }
  const bool finite = x.counters().all_finite() && y.counters().all_finite();
  if (n == 0 || !finite || !products.counters().all_finite()) return exact_value::of_nan();

  // In units of the products; 2^63 products below 2^top and the product of two sums have at most 32 * words bits.
  constexpr int sum_words = 2 * sum_format::limb_count, product_words = product_format::limb_count + 2;
  constexpr int words = sum_words > product_words ? sum_words : product_words;
  constexpr int shift = 2 * sum_format::unit_exponent - product_format::unit_exponent;
  static_assert(2 * (sum_format::top_exponent + 63) - product_format::unit_exponent < 32 * words);
  detail::signed_natural<2> count;
  count.word[0] = static_cast<std::uint32_t>(n & 0xffffffff);
  count.word[1] = static_cast<std::uint32_t>(n >> 32);
  const auto scaled = detail::product<words>(detail::signed_of(products.normalised_limbs()), count);
  const auto squared = detail::product<words>(detail::signed_of(x.normalised_limbs()),  //
                                              detail::signed_of(y.normalised_limbs()));
  const auto numerator = detail::difference(scaled, detail::shifted_up(squared, shift));

  const std::uint64_t freedom = ddof < n ? static_cast<std::uint64_t>(n) - static_cast<std::uint64_t>(ddof) : 0;
  if (freedom == 0) {
    return numerator.bits() == 0 ? exact_value::of_nan() : exact_value::of_infinity(numerator.negative);
  }
  const uint128_t divisor = static_cast<uint128_t>(static_cast<std::uint64_t>(n)) * freedom;
  return detail::leading_quotient(numerator, divisor, product_format::unit_exponent);
}

/// The variance from the sum and the sum of squares; its exact_root is the standard deviation.
template <storage_type T>
MULTIFOLD_HD exact_value exact_variance(const exact_sum<T>& sum, const exact_dot<T>& squares, std::int64_t ddof = 0) {
  return exact_covariance(sum, sum, squares, ddof);
}

}  // namespace multifold::inline v0_1
