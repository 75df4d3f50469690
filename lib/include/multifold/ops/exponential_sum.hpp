// Sums of exponentials that neither overflow nor underflow: a significand of two doubles, times powers of 2 and of e.
// Functions are the compiler's builtins: <cmath> would be a tenth of what multifold.hpp takes to compile.
#pragma once

#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1 {

/// (high + low) 2^exponent e^anchor. An exponential is split into r 2^k with r about 1, so that the sum is scaled by
/// powers of 2 alone, which is exact, however often a greater element comes. Elements up to 2^19 have the anchor 0,
/// others one near the greatest of them, a multiple of 2^20. What is a cell of that size below counts; what is more, or
/// 2^-1000 of the sum, does not.
/// Numerics: the logarithm is off by 2^-50 and 2^-51 of itself at most, if exp() and log() are by 1 ulp: the argument
///           of exp() is by 2^-54, a distance from an anchor other than 0 by 2^-53 of itself, as that anchor's factor;
///           and of up to 2^40 elements what the high part rounds is kept (TwoSum).
/// Sources:  W. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, for the two parts of ln 2;
///           Knuth, The Art of Computer Programming 2, 4.2.2, for TwoSum.
struct exponential_sum {
  double high = 0, low = 0;
  double anchor = 0;    // of nothing, any
  double specials = 0;  // NaN or +Inf, if an element is
  std::int64_t exponent = 0;

  MULTIFOLD_HD bool none() const { return high == 0; }

  MULTIFOLD_HD void add(double x) {
    if (!(x - x == 0)) {  // -Inf adds 0
      if (!(x < 0)) specials += x;
      return;
    }
    const double cell = cell_of(x);
    if (none()) anchor = cell;
    else if (cell > anchor) move_to(cell);
    const double distance = x - anchor;
    if (distance < -1.75 * cell_size) return;
    const double k = __builtin_rint(distance * 0x1.71547652b82fep+0);
    const double rest = detail::plain_difference(distance, detail::plain_product(k, ln2_high));
    add_scaled(__builtin_exp(rest - detail::plain_product(k, ln2_low)), static_cast<std::int64_t>(k));
  }
  MULTIFOLD_HD void add(exponential_sum other) {
    specials += other.specials;
    if (other.none()) return;
    if (none()) {
      const double seen = specials;
      *this = other;
      specials = seen;
      return;
    }
    if (other.anchor > anchor) move_to(other.anchor);
    else if (anchor > other.anchor) other.move_to(anchor);
    if (other.none()) return;
    if (none()) high = 0, exponent = other.exponent;
    other.normalize();
    add_scaled(other.high, other.exponent);
    if (other.low != 0) low += scaled(other.low, other.exponent - exponent);
  }

  /// The logarithm, which is off by 2^-50 and 2^-51 of itself at most: -Inf of nothing.
  MULTIFOLD_HD double logarithm() const {
    if (!(specials == 0)) return specials;
    if (none()) return -__builtin_huge_val();
    int scale = 0;
    double fraction = __builtin_frexp(high, &scale);
    if (fraction < 0x1.6a09e667f3bcdp-1) fraction *= 2, --scale;
    const auto k = static_cast<double>(exponent + scale);
    // log(fraction + rest) = log(fraction) + rest / fraction, as rest is half an ulp.
    const double small = __builtin_log(fraction) + __builtin_ldexp(low, -scale) / fraction;
    const detail::two_sum whole = detail::add_exactly(anchor, detail::plain_product(k, ln2_high));
    return whole.sum + (whole.error + (small + k * ln2_low));
  }

 private:
  static constexpr double cell_size = 0x1p20;
  // ln 2 in two parts: k times the first one, of 30 bits, is exact.
  static constexpr double ln2_high = 0x1.62e42fe8p-1, ln2_low = 0x1.e8e7bcd5e4f1ep-31;
  // exp(-2^20) = down 2^-down_exponent.
  static constexpr double down = 0x1.855160f1de292p-1;
  static constexpr std::int64_t down_exponent = 1512775;

  MULTIFOLD_HD static double cell_of(double x) {
    return x < cell_size / 2 && x > -cell_size / 2 ? 0 : __builtin_rint(x / cell_size) * cell_size;
  }
  // x 2^by, or 0 where that is less than what counts.
  MULTIFOLD_HD static double scaled(double x, std::int64_t by) {
    return by < -1000 ? 0 : x * bit_copy<double>(static_cast<std::uint64_t>(1023 + by) << 52);
  }
  // High parts grow to 2^600 and more in additions, and one is not to be scaled by another one's.
  MULTIFOLD_HD void normalize() {
    int scale = 0;
    high = __builtin_frexp(high, &scale);
    low = scaled(low, -scale);
    exponent += scale;
  }
  // Powers of 2 up to 2^600 above that of the sum leave it as it is.
  MULTIFOLD_HD void add_scaled(double x, std::int64_t k) {
    if (none()) exponent = k;
    if (k > exponent + 600) {
      high = scaled(high, exponent - k);
      low = scaled(low, exponent - k);
      exponent = k;
    }
    const detail::two_sum sum = detail::add_exactly(high, scaled(x, k - exponent));
    high = sum.sum;
    low += sum.error;
  }
  // To a greater anchor.
  MULTIFOLD_HD void move_to(double to) {
    const double factor = to - anchor == cell_size ? down : 0;
    anchor = to;
    high *= factor;
    low *= factor;
    exponent -= down_exponent;
  }
};

}  // namespace multifold::inline v0_1
