// Sums of numbers of any magnitude in two windows, the second of which may round, and what they are off by at most: a
// near value in a fixed number of operations, whatever the range of the numbers is. Where two windows hold them, it is
// exact. Bounds: docs/exact-sums.md, 14.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/expansions/expansion.hpp"
#include "multifold/exact/windows.hpp"

namespace multifold::inline v0_1::detail {

/// Adds a product of doubles, as add_product() adds those of narrower ones. What the first window leaves of it
/// is rounded.
MULTIFOLD_HD inline void add_product_roughly(window_sums<2>& to, double x, double y) {
  const double next = fused(x, y, to.sum[0]);
  to.sum[1] = plain_sum(to.sum[1], fused(x, y, plain_difference(to.sum[0], next)));
  to.sum[0] = next;
}

/// What two windows of `count` numbers, or products, are off by, if they do not hold them: of `lanes` that have up to
/// `share` each, whose windows are added up pair by pair.
MULTIFOLD_HD inline double near_windows_error(const window_layout& by, int count, int share, int lanes) {
  return power_of_two(by.unit - 54) * static_cast<double>(count) * static_cast<double>(share + log_of_count(lanes) + 2);
}

/// Numbers below 2^top are taken times 2^-near_exponent(top), if they or their products could leave the range in which
/// near values are certain of anything.
inline constexpr int most_near_top = 190;
MULTIFOLD_HD constexpr bool is_far_top(int top) { return top > most_near_top || top < -most_near_top; }
MULTIFOLD_HD constexpr int near_exponent(int top) {
  if (!is_far_top(top)) return 0;
  return top > 1000 ? 1000 : top < -1000 ? -1000 : top;
}
/// Factors whose product is x y 2^-up: of a product far from 1, and if that is below 2^-1000, zeros.
struct near_factors {
  double x, y;
};
MULTIFOLD_HD inline near_factors factors_near(double x, double y, int up) {
  if (!(std::fabs(x) < HUGE_VAL && std::fabs(y) < HUGE_VAL)) return {x - x, y - y};
  if (x == 0 || y == 0) return {0.0, 0.0};
  const auto taken_apart = [](double& v, int& exponent) {
    constexpr std::uint64_t field = std::uint64_t{0x7ff} << 52, one = std::uint64_t{1023} << 52;
    if ((bit_copy<std::uint64_t>(v) & field) == 0) v *= 0x1p54, exponent -= 54;
    const auto bits = bit_copy<std::uint64_t>(v);
    exponent += static_cast<int>((bits & field) >> 52) - 1023;
    v = bit_copy<double>((bits & ~field) | one);
  };
  int exponent = -up;
  taken_apart(x, exponent);
  taken_apart(y, exponent);
  if (exponent < -1000) return {0.0, 0.0};
  return {x, y * power_of_two(exponent)};
}

/// Products of pairs of numbers are below 2^top: 2 and the greatest sum of both exponents.
struct product_scan {
  int greatest = -1;  // of the sums of the exponent fields, where neither number is 0

  MULTIFOLD_HD constexpr void see(double x, double y) {
    const auto upper = [](double v) { return static_cast<int>(bit_copy<std::uint64_t>(v) >> 32 & 0x7ff00000u) >> 20; };
    const int sum = x != 0 && y != 0 ? upper(x) + upper(y) : -1;
    greatest = sum > greatest ? sum : greatest;
  }
  MULTIFOLD_HD constexpr bool none() const { return greatest < 0; }
  MULTIFOLD_HD constexpr int top() const { return greatest - 2 * 1023 + 2; }
};
/// A number within its error of 0 as one that is next to 0, which is not too small for near_covariance.
MULTIFOLD_HD constexpr near_value off_zero(const near_value& v) {
  if (v.high != 0 || v.low != 0 || v.error == 0) return v;
  return {v.error, 0.0, 2 * v.error};
}

/// Products below this are too small for near_covariance.
inline constexpr int least_near_product = -380;
/// Beside sums that were brought near 1, products below 2^top add next to nothing to a covariance: a number that is not
/// too small for it, within an error that says so.
MULTIFOLD_HD constexpr bool is_small_product(int top) { return top < -300; }
MULTIFOLD_HD constexpr near_value small_products() { return {0x1p-280, 0.0, 0x1p-279}; }

/// Rounds v 2^up if everything within the error rounds to the same, whatever the size is: of doubles.
MULTIFOLD_HD inline bool round_far_if_certain(const near_value& v, int up, double& out) {
  if (!(v.error < 0x1p-40 * std::fabs(v.high) && std::fabs(v.high) > 0x1p-700 && std::fabs(v.high) < 0x1p700))
    return false;
  const int exponent = unpack(v.high).position - 1074 + 52 + up;  // of v.high 2^up
  const double sign = v.high < 0 ? -1.0 : 1.0;
  if (exponent > 1030) {
    out = sign * HUGE_VAL;
  } else if (exponent < -1080) {
    out = sign * 0.0;
  } else if (exponent >= -1022) {
    double near_one;
    if (!round_if_certain(v, near_one)) return false;
    const int third = up / 3;  // the last step alone may overflow
    out = near_one * power_of_two(third) * power_of_two(third) * power_of_two(up - 2 * third);
  } else {
    // Subnormal: to a multiple of what stands for 2^-1074, by an addition to 2^52 of those.
    const double size = std::fabs(v.high), off = v.error + std::fabs(v.low) + size * 0x1p-50;
    const double unit = power_of_two(-1074 - up), start = 0x1p52 * unit;
    const double least = plain_difference(plain_sum(size - off, start), start);
    if (!same_bits(least, plain_difference(plain_sum(size + off, start), start))) return false;
    out = sign * (least / unit * 0x1p-1074);
  }
  return true;
}

/// More than all that underflows where up to 2^12 numbers were brought near 1, and in their products.
inline constexpr double underflow_error = 0x1p-860;

/// Adds a number to an expansion whose last part rounds. Returns what that is off by; NaN if it has overflowed.
template <int First = 0, int Parts>
MULTIFOLD_HD constexpr double add_roughly(expansion<Parts>& to, double x) {
  MULTIFOLD_UNROLLED
  for (int i = First; i < Parts; ++i) {
    const two_sum s = add_exactly(to.part[i], x);
    to.part[i] = s.sum;
    x = s.error;
  }
  return x < 0 ? -x : x;
}
/// Another expansion, each part to its like.
template <int Parts>
MULTIFOLD_HD constexpr double add_roughly(expansion<Parts>& to, const expansion<Parts>& from) {
  double off = add_roughly(to, from.part[0]);
  if constexpr (Parts > 1) off = plain_sum(off, add_roughly<1>(to, from.part[1]));
  if constexpr (Parts > 2) off = plain_sum(off, add_roughly<2>(to, from.part[2]));
  if constexpr (Parts > 3) off = plain_sum(off, add_roughly<3>(to, from.part[3]));
  static_assert(Parts <= 4);
  return off;
}

/// What up to three sums are off by at most, in one word: the upper 21 bits of a double each, rounded up.
class sum_errors {
 public:
  MULTIFOLD_HD constexpr double operator[](int i) const {
    const std::uint64_t field = word_ >> (bits * i) & unknown;
    return bit_copy<double>(field == unknown ? std::uint64_t{0x7ff0000000000000} : field << below);
  }
  /// Nothing is known of the sum where `error` is not a number.
  MULTIFOLD_HD constexpr void add(int i, double error) {
    if (error == 0) return;
    const double all = plain_sum((*this)[i], error);
    const std::uint64_t field = all < 0x1p1000 ? (bit_copy<std::uint64_t>(all) >> below) + 1 : unknown;
    word_ = (word_ & ~(unknown << (bits * i))) | field << (bits * i);
  }
  MULTIFOLD_HD constexpr void merge(const sum_errors& other) {
    if (other.none()) return;
    for (int i = 0; i < 3; ++i) add(i, other[i]);
  }
  MULTIFOLD_HD constexpr bool none() const { return word_ == 0; }

 private:
  static constexpr int bits = 21, below = 42;
  static constexpr std::uint64_t unknown = (std::uint64_t{1} << bits) - 1;
  std::uint64_t word_ = 0;
};

}  // namespace multifold::inline v0_1::detail
