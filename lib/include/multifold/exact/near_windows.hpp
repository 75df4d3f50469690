// Sums of numbers of any magnitude in two windows, the second of which may round, and what they are off by at most: a
// near value in a fixed number of operations, whatever the range of the numbers is. Where two windows hold them, it is
// exact. Bounds: docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "multifold/exact/expansion.hpp"
#include "multifold/exact/windows.hpp"

namespace multifold::detail {

/// Adds a product of binary64 numbers, as add_product() adds those of narrower ones. What the first window leaves of it
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

/// What up to three sums are off by at most, in one word: the upper 21 bits of a binary64 each, rounded up.
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

}  // namespace multifold::detail
