// Windows that stay open for many elements, which are within so many binades of a power of two that was chosen when
// they were opened: exact sums in a few operations an element.
//
// Elements a and b are below 2^(first+1) and 2^(second+1), of exponents f and g from 2^(first-k) and 2^(second-k) on,
// or zeros. So products are below 2^(e+1), e = first + second + 1, and e - (f + g) <= 2k + 1. A chain of additions is
// of up to 1024, and S = 1.5 * 2^(e+13) stays in its binade, whose last place is 2^(e-39): what it leaves of a product
// is exact and at most half of that, 1024 of them 2^(e-30). Elements of an array have a window 1.5 * 2^(first+13), with
// the last place 2^(first-39), and what it leaves is 2^(first-30) in all. See docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "multifold/exact/uncontracted.hpp"
#include "multifold/scalar.hpp"

namespace multifold {

namespace detail {

/// Adds x to a window. Returns what it leaves of x.
MULTIFOLD_HD constexpr double add_to_window(double& window, double x) {
  const double next = plain_sum(window, x);
  const double left = plain_sum(x, plain_difference(window, next));
  window = next;
  return left;
}

template <int Chains>
MULTIFOLD_HD constexpr double total_of_window(const double (&window)[Chains], double start) {
  if constexpr (Chains == 1) return plain_difference(window[0], start);
  else return plain_sum(plain_difference(window[0], start), plain_difference(window[1], start));
}

}  // namespace detail

/// 1.5 times 2^13 times 2^exponent: where windows of numbers below 2^(exponent+1) start.
MULTIFOLD_HD constexpr double open_start(int exponent) {
  return bit_copy<double>(static_cast<std::uint64_t>(exponent + 13 + 1023) << 52 | std::uint64_t{1} << 51);
}

/// Words of magnitudes, in their order: the bits of a binary32, the upper half of those of a binary64. Elements that a
/// window is open for are below the word `top`, which is a power of two, 2^(first+1), and 0 where none is open.
template <class Carrier>
struct magnitude_words {
  static constexpr bool wide = sizeof(Carrier) == 8;
  static constexpr int field = wide ? 20 : 23, bias = wide ? 1023 : 127;  // of exponents: where it begins
  static constexpr int infinity = (2 * bias + 1) << field;

  MULTIFOLD_HD static constexpr int exponent_of(int word) { return (word >> field) - bias; }
  MULTIFOLD_HD static constexpr int top_above(int word) { return ((word >> field) + 1) << field; }
  /// Neither zero nor a special.
  MULTIFOLD_HD static constexpr bool is_regular(int word) { return word > 0 && word < infinity; }
  /// Whether a window that is open is not far above what it would be opened for.
  MULTIFOLD_HD static constexpr bool is_near(int greatest, int top) {
    return greatest < top && greatest >= top - (8 << field);
  }
  /// Whether all elements but zeros are within `Span` binades of 2^first, and none is subnormal. Without branches.
  template <int Span>
  MULTIFOLD_HD static constexpr bool fit(int greatest, int least, int top) {
    constexpr int normal = 1 << field;
    const int lowest = top - ((Span + 1) << field), bottom = lowest > normal ? lowest : normal;
    return (greatest < top) & ((least >= bottom) | (greatest == 0));
  }
};

/// Sums of elements of an array, in so many chains. What the window leaves goes to a plain sum: exact with elements of
/// 53 bits, multiples of 2^(first-k-52), in one chain up to k = 31; of 24 bits, in two, up to k = 59.
template <int Chains>
struct element_windows {
  static constexpr int parts = 2;  // of the sum, the later one much smaller
  double sum[Chains], low;

  MULTIFOLD_HD constexpr void open(double start) {
    for (double& each : sum) each = start;
    low = 0;
  }
  /// Into chain i. `One`: the window takes all of x.
  template <bool One>
  MULTIFOLD_HD constexpr void add(int i, double x) {
    if constexpr (One) sum[i] = detail::plain_sum(sum[i], x);
    else low = detail::plain_sum(low, detail::add_to_window(sum[i], x));
  }
  MULTIFOLD_HD constexpr void close(double start, double (&part)[parts]) const {
    part[0] = detail::total_of_window(sum, start);
    part[1] = low;
  }
};

/// Sums of products, of elements of so many significant bits: in ways 1, 2, ..., the later ones for elements farther
/// apart.
///   chains, most    into chain i % chains, so many products in all, as many into each
///   span(way)       k, so many binades that the elements of each array may be apart; none if it is not above 0
///   opens(f, s)     whether `first` and `second` are in range
///   one_takes(way)  whether a window takes all of each element
///   parts           of the sum, the later ones much smaller
template <class Carrier, int Bits>
struct product_windows;

/// Products of binary32 numbers are binary64 numbers, multiples of 2^(f+g-46+2 More), `More` the bits fewer than 24.
/// What S leaves goes to a second window, 1.5 * 2^(e-28), whose last place is 2^(e-80), and what that leaves, 2^(e-70)
/// in both chains, to a plain sum:
/// - S takes all of them from e - (f + g) <= 2 More - 7 on, which is true up to k = More - 4;
/// - two windows do up to 34 + 2 More, k = 16 + More, where one takes all of an element, a multiple of
///   2^(first-k-23+More);
/// - and the plain sum is exact up to 77 + 2 More, k = 38 + More.
template <int Bits>
struct product_windows<float, Bits> {
  static constexpr int more = 24 - Bits;
  static constexpr int chains = 2, most = 2048, ways = 3, parts = 3;

  double high[chains], middle[chains], low;

  static constexpr int span(int way) { return more + (way == 1 ? -4 : way == 2 ? 16 : 38); }
  MULTIFOLD_HD static constexpr bool opens(int first, int second) {
    constexpr int least = -126 + span(2);
    const auto fits = [](int exponent) { return exponent < 127 && exponent >= least; };
    return fits(first) && fits(second);
  }
  static constexpr bool one_takes(int way) { return way < 3; }

  MULTIFOLD_HD constexpr void open(double start) {
    high[0] = high[1] = start;
    middle[0] = middle[1] = start * down_second;
    low = 0;
  }
  template <int Way>
  MULTIFOLD_HD void add(int i, double a, double b) {
    const double next = detail::fused(a, b, high[i]);
    if constexpr (Way > 1) {
      const double left = detail::fused(a, b, detail::plain_difference(high[i], next));
      if constexpr (Way == 2) middle[i] = detail::plain_sum(middle[i], left);
      else low = detail::plain_sum(low, detail::add_to_window(middle[i], left));
    }
    high[i] = next;
  }
  MULTIFOLD_HD constexpr void close(double start, double (&part)[parts]) const {
    part[0] = detail::total_of_window(high, start);
    part[1] = detail::total_of_window(middle, start * down_second);
    part[2] = low;
  }

 private:
  static constexpr double down_second = 0x1p-41;
};

/// A product of binary64 numbers is p, rounded, and an error of at most 2^(e-53). p is a multiple of 2^(f+g-52), and
/// both are of 2^(f+g-104), which 2^-1074 divides if e >= -907 and k <= 31. Behind S there are, in one chain,
/// - a window 1.5 * 2^(e-29), last place 2^(e-81), for what S leaves of p: it takes all of that where f+g-52 >= e-81,
///   up to k = 14, and leaves 2^(e-82) otherwise;
/// - one of 1.5 * 2^(e-41), last place 2^(e-93), for the errors and what the one before leaves: it leaves 2^(e-94) of
///   each, 2^(e-83) of all;
/// - one of 1.5 * 2^(e-82), last place 2^(e-134), for that: it takes all of it where f+g-104 >= e-134, up to k = 14,
///   and what there is of p where f+g-52 >= e-134, up to k = 40;
/// - a plain sum of what it leaves of the errors, 2^(e-125) in all: exact where f+g-104 >= e-178, up to k = 36.
template <>
struct product_windows<double, 53> {
  static constexpr int chains = 1, most = 1024, ways = 2, parts = 5;

  double high, middle, errors, rests, low;

  static constexpr int span(int way) { return way == 1 ? 14 : 31; }  // 31 for the sake of elements
  MULTIFOLD_HD static constexpr bool opens(int first, int second) {
    constexpr int least = -1022 + span(2);
    const auto fits = [](int exponent) { return exponent <= 1009 && exponent >= least; };
    const int e = first + second + 1;
    return fits(first) && fits(second) && e >= -907 && e <= 1009;
  }
  static constexpr bool one_takes(int) { return false; }

  MULTIFOLD_HD constexpr void open(double start) {
    high = start;
    middle = start * down_second;
    errors = start * down_third;
    rests = start * down_fourth;
    low = 0;
  }
  template <int Way>
  MULTIFOLD_HD void add(int, double a, double b) {
    const double p = detail::plain_product(a, b), error = detail::fused(a, b, -p);
    const double left = detail::add_to_window(high, p);
    if constexpr (Way == 1) {
      middle = detail::plain_sum(middle, left);
      rests = detail::plain_sum(rests, detail::add_to_window(errors, error));
    } else {
      rests = detail::plain_sum(rests, detail::add_to_window(errors, detail::add_to_window(middle, left)));
      low = detail::plain_sum(low, detail::add_to_window(rests, detail::add_to_window(errors, error)));
    }
  }
  MULTIFOLD_HD constexpr void close(double start, double (&part)[parts]) const {
    part[0] = detail::plain_difference(high, start);
    part[1] = detail::plain_difference(middle, start * down_second);
    part[2] = detail::plain_difference(errors, start * down_third);
    part[3] = detail::plain_difference(rests, start * down_fourth);
    part[4] = low;
  }

 private:
  static constexpr double down_second = 0x1p-42, down_third = 0x1p-54, down_fourth = 0x1p-95;
};

}  // namespace multifold
