// Sums of a few elements and of their products in doubles, with what they may be off by. Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/near/near_windows.hpp"
#include "multifold/exact/windows.hpp"

namespace multifold::inline v0_1::detail {

/// As many as they may be.
inline constexpr int most_few = 16;

/// A plain sum, and whether it is exact: not of numbers that are not finite.
struct checked_sum {
  double sum = -0.0, rest = 0.0;

  MULTIFOLD_HD void add(double x) {
    const two_sum s = add_exactly(sum, x);
    sum = s.sum;
    rest = plain_sum(rest, std::fabs(s.error));
  }
  MULTIFOLD_HD bool exact() const { return rest == 0; }
  /// What it is off by at most, and by what its own rounding is.
  MULTIFOLD_HD double error() const { return rest * (1 + 0x1p-40) + 0x1p-50 * std::fabs(sum); }
};

/// The least magnitude of numbers of 2 bytes that are not 0: all of them are multiples of its unit.
template <floating_storage T>
struct least_magnitude {
  std::uint32_t less_one = 0xffffffffu;

  MULTIFOLD_HD void see(T x) {
    const std::uint32_t below = (bit_copy<std::uint16_t>(x) & 0x7fffu) - 1u;
    less_one = below < less_one ? below : less_one;
  }
  MULTIFOLD_HD double unit() const {
    using layout = float_layout<T>;
    const auto exponent = static_cast<int>((less_one + 1u) >> layout::mantissa_bits);
    return power_of_two((exponent > 1 ? exponent : 1) - layout::bias - layout::mantissa_bits);
  }
};

/// A sum of elements, or of their magnitudes, and whether it is exact: of 2 bytes as exponents tell, which are 16 numbers
/// at most.
template <floating_storage T>
struct few_sum {
  checked_sum all;

  MULTIFOLD_HD void add(T x) { all.add(to_double(x)); }
  MULTIFOLD_HD void add_magnitude(T x) { all.add(std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return all.sum; }
  MULTIFOLD_HD bool exact() const { return all.exact(); }
  MULTIFOLD_HD double error() const { return all.error(); }
};
template <>
struct few_sum<f16> {
  double sum = -0.0;

  MULTIFOLD_HD void add(f16 x) { sum = plain_sum(sum, to_double(x)); }
  MULTIFOLD_HD void add_magnitude(f16 x) { sum = plain_sum(sum, std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return sum; }
  MULTIFOLD_HD bool exact() const { return plain_difference(sum, sum) == 0; }
  MULTIFOLD_HD double error() const { return HUGE_VAL; }
};
template <>
struct few_sum<bf16> {
  double sum = -0.0;
  magnitude_scan<bf16> scan;

  MULTIFOLD_HD void add(bf16 x) { add_to(x, to_double(x)); }
  MULTIFOLD_HD void add_magnitude(bf16 x) { add_to(x, std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return sum; }
  MULTIFOLD_HD bool exact() const { return exponent_range<bf16>(scan).fits(log_of_count(most_few)); }
  /// Of 15 additions below 2^(top + 4) each.
  MULTIFOLD_HD double error() const { return power_of_two(exponent_range<bf16>(scan).top() + 8 - 53); }

 private:
  MULTIFOLD_HD void add_to(bf16 x, double value) {
    sum = plain_sum(sum, value);
    scan.see(to_float(x));
  }
};

/// A sum of products in two doubles, and the sum of their magnitudes: within 2^-96 of that.
struct few_products {
  double high = -0.0, low = 0.0;

  template <floating_storage T>
  MULTIFOLD_HD void add(T x, T y) {
    const double a = to_double(x), b = to_double(y), p = plain_product(a, b);
    const two_sum s = add_exactly(high, p);
    high = s.sum;
    if constexpr (sizeof(T) == 8) low = plain_sum(low, plain_sum(s.error, fused(a, b, -p)));
    else low = plain_sum(low, s.error);
  }
  MULTIFOLD_HD near_value near(double size) const {
    const two_sum tight = add_exactly(high, low);
    return {tight.sum, tight.error, 0x1p-96 * size};
  }
};

/// Sums of a set as near values, or unknown. Products, or sums without products, are 2^-up of what they stand for.
struct few_totals {
  near_value x{}, y{}, products{};
  int up = 0;
};

}  // namespace multifold::inline v0_1::detail
