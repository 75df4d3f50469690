// Sums of elements and of their squares in one look, whatever the exponents: compensated, with a bound for what they are
// off by, or the knowledge that this is nothing. Sources: TwoSum is Knuth's (The Art of Computer Programming 2, 4.2.2);
// sums of its errors are Ogita, Rump and Oishi's (SIAM Journal on Scientific Computing 26, 2005).
// Proofs: docs/exact-sums.md, 14.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1::detail {

/// A sum, and the sum of what its additions were off by.
struct compensated_sum {
  double high = -0.0, low = 0.0;

  MULTIFOLD_HD constexpr void add(double x) {
    const two_sum s = add_exactly(high, x);
    high = s.sum;
    low = plain_sum(low, s.error);
  }
  MULTIFOLD_HD constexpr void merge(const compensated_sum& other) {
    low = plain_sum(low, other.low);
    add(other.high);
  }
  /// Times 2^by, in steps that powers of two have exponents for; what underflows is lost.
  MULTIFOLD_HD constexpr void scale(int by) {
    for (int left = by; left != 0;) {
      const int step = left > 600 ? 600 : left < -600 ? -600 : left;
      high = plain_product(high, power_of_two(step));
      low = plain_product(low, power_of_two(step));
      left -= step;
    }
  }
};

/// The squares of doubles, as sums of two doubles each.
struct compensated_squares {
  compensated_sum sum;

  MULTIFOLD_HD void add(double x) {
    const double p = plain_product(x, x);
    const two_sum s = add_exactly(sum.high, p);
    sum.high = s.sum;
    sum.low = plain_sum(sum.low, plain_sum(s.error, fused(x, x, -p)));
  }
};

/// The squares of narrower numbers, which are doubles. Where `start` is no less than any of them, a multiply-add and
/// two more operations have what an addition is off by: `back` is exact, since it is no more than half of `sum`.
struct started_squares {
  double start, high, low = 0.0;

  MULTIFOLD_HD constexpr explicit started_squares(double at) : start(at), high(at) {}
  MULTIFOLD_HD void add(double x) {
    const double sum = fused(x, x, high), back = plain_difference(high, sum);
    low = plain_sum(low, fused(x, x, back));
    high = sum;
  }
  MULTIFOLD_HD constexpr compensated_sum sum() const { return {plain_difference(high, start), low}; }
};

/// The same with no more ado: of numbers of up to 16 bits, most sums are doubles anyway.
struct plain_squares {
  double high = 0.0;

  MULTIFOLD_HD void add(double x) { high = fused(x, x, high); }
};

/// A power of two that squares may start at whose sum is like `squares`: 32 to 64 times that. 0 stays, and what is not
/// finite becomes 0.
MULTIFOLD_HD constexpr double start_of_squares(double squares) {
  const std::uint64_t field = bit_copy<std::uint64_t>(squares) >> 52 & 0x7ff;
  return bit_copy<double>(field == 0 || field > 2000 ? std::uint64_t{0} : (field + 6) << 52);
}

MULTIFOLD_HD constexpr int exponent_of_start(double start) {
  return static_cast<int>(bit_copy<std::uint64_t>(start) >> 52) - 1023;
}

/// What the sums of a run are off by, of finite elements: 0 is exactly nothing.
struct compensated_errors {
  double x = 0.0, products = 0.0;
};

/// A run of `count` elements, at most `share` a lane, that all are multiples of 2^unit; `squares` is the sum of their
/// squares, rounded, which the lanes began at `start` each.
struct compensated_run {
  int count, share;
  double squares, start;
  int unit;

  static constexpr int no_unit = -1200;  // of numbers that may have any last place

  /// Of numbers up to float: a plain sum and started squares.
  MULTIFOLD_HD compensated_errors narrow_errors() const {
    compensated_errors of;
    const double unit_square = power_of_two(2 * unit), n = count;
    const double all = n * squares;  // no less than the square of the sum of magnitudes
    // Partial sums are multiples of the unit, and doubles as long as they are below 2^53 of it.
    if (!(all < unit_square * 0x1p105)) of.x = (share + 16) * 0x1p-52 * rough_root_of(all);
    const bool started = squares <= 0.75 * start;
    const double most = squares + start;
    const bool exact = started ? (n + 64) * most < unit_square * 0x1p104
                               : (start == 0 || start >= unit_square) && most < unit_square * 0x1p53;
    if (!exact) of.products = started ? n * (share + 16) * 0x1p-104 * most : 0x1p-50 * most;
    return of;
  }
  /// Of numbers of up to 16 bits: plain sums.
  MULTIFOLD_HD compensated_errors plain_errors() const {
    compensated_errors of = narrow_errors();
    const bool exact = squares < power_of_two(2 * unit) * 0x1p53;
    of.products = exact ? 0.0 : (share + 16) * 0x1p-52 * squares;
    return of;
  }
  /// Of doubles whose squares are far from both ends of exponents: compensated sums.
  MULTIFOLD_HD compensated_errors wide_errors() const {
    compensated_errors of;
    const double n = count, all = n * squares;
    const double unit_square = unit > -500 ? power_of_two(2 * unit) : 0.0, few = n + 64;
    if (!(few * few * all < unit_square * 0x1p208)) of.x = n * (share + 16) * 0x1p-104 * rough_root_of(all);
    if (!(few * squares < unit_square * 0x1p103)) of.products = n * (share + 16) * 0x1p-103 * squares + n * 0x1p-1070;
    return of;
  }

 private:
  // No less than the root, and no more than 2^-10 of it greater.
  MULTIFOLD_HD static double rough_root_of(double v) {
#if defined(__CUDA_ARCH__)
    double reciprocal;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(reciprocal) : "d"(v));
    return v > 0x1p-1000 ? v * reciprocal * (1 + 0x1p-11) : 0x1p-500;
#else
    return v > 0x1p-1000 ? std::sqrt(v) * (1 + 0x1p-11) : 0x1p-500;
#endif
  }
};

}  // namespace multifold::inline v0_1::detail
