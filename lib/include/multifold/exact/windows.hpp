// Exact sums of a run in windows: as many double sums as the exponents of its elements need, each of multiples of a
// unit of its own. A first look at the elements tells how far their exponents reach; one double is enough for
// ordinary data, and each window more costs three additions an element. Nothing is lost and taken back.
// Sources: Demmel and Hida 2003; Rump, Ogita and Oishi 2008; Zhu and Hayes 2010. Proofs: docs/exact-sums.md, 14.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/float_layout.hpp"
#include "multifold/exact/rolled.hpp"
#include "multifold/exact/uncontracted.hpp"
#include "multifold/types/float16.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {

/// What a first look at numbers keeps: the greatest and the least magnitude of those that are not zero, as far as their
/// exponents go. Narrow formats are looked at as floats.
template <floating_storage T>
struct magnitude_scan {
  static constexpr bool wide = sizeof(T) == 8;

  MULTIFOLD_HD constexpr void see(double x) requires wide {
    const auto bits = bit_copy<std::uint64_t>(x);
    const auto upper = static_cast<std::uint32_t>(bits >> 32) & 0x7fffffffu;
    see_bits(upper | (static_cast<std::uint32_t>(bits) != 0 ? 1u : 0u));
  }
  MULTIFOLD_HD constexpr void see(float x) requires(!wide) { see_bits(bit_copy<std::uint32_t>(x) & 0x7fffffffu); }

  MULTIFOLD_HD constexpr bool none() const { return greatest == 0; }
  MULTIFOLD_HD constexpr std::uint32_t greatest_exponent() const { return greatest >> shift; }
  MULTIFOLD_HD constexpr std::uint32_t least_exponent() const { return (least + 1) >> shift; }

 private:
  static constexpr int shift = wide ? 20 : 23;  // of the exponent field, in the upper word of a double
  std::uint32_t greatest = 0;
  std::uint32_t least = 0xffffffffu;  // less one, so that zeros are none

  MULTIFOLD_HD constexpr void see_bits(std::uint32_t magnitude) {
    greatest = magnitude > greatest ? magnitude : greatest;
    least = magnitude - 1 < least ? magnitude - 1 : least;
  }
};

/// Of bfloat16 in one word: the greatest pattern less one, and 2^16 less the least, in 16 bits each; 0 of nothing but
/// zeros. A pattern times 2^16 - 1 has both.
template <>
struct magnitude_scan<bf16> {
  static constexpr bool wide = false;

  MULTIFOLD_HD constexpr void see(float x) {
    fields = detail::greater_halves(fields, (bit_copy<std::uint32_t>(x) >> 16 & 0x7fffu) * 0xffffu);
  }
  MULTIFOLD_HD constexpr bool none() const { return fields == 0; }
  MULTIFOLD_HD constexpr std::uint32_t greatest_exponent() const { return ((fields >> 16) + 1) >> 7; }
  MULTIFOLD_HD constexpr std::uint32_t least_exponent() const { return (0x10000u - (fields & 0xffffu)) >> 7; }

 private:
  std::uint32_t fields = 0;
};

/// Exponents of a scan in one word, which threads exchange: fields that grow as the range does, in 16 bits each; 0 of
/// nothing but zeros.
template <floating_storage T>
struct exponent_range {
  using scan = magnitude_scan<T>;
  static constexpr int limit = scan::wide ? 2048 : 256;  // above every exponent field
  static constexpr int bias = scan::wide ? 1023 : 127;
  std::uint32_t fields = 0;

  constexpr exponent_range() = default;
  MULTIFOLD_HD constexpr explicit exponent_range(const scan& s) {
    const std::uint32_t low = s.least_exponent(), least = low > 0 ? low : 1;
    if (!s.none()) fields = s.greatest_exponent() << 16 | (limit - least);
  }
  MULTIFOLD_HD constexpr void merge(const exponent_range& other) {
    fields = detail::greater_halves(fields, other.fields);
  }

  MULTIFOLD_HD constexpr bool none() const { return fields == 0; }
  MULTIFOLD_HD constexpr bool finite() const { return static_cast<int>(fields >> 16) < limit - 1; }
  /// Whether all sums of up to 2^log_count numbers are doubles: none is beyond them, and one window is enough.
  MULTIFOLD_HD constexpr bool fits(int log_count) const {
    const auto greatest = static_cast<int>(fields >> 16), least = static_cast<int>(fields & 0xffffu);
    return greatest <= (scan::wide ? limit - 2 - log_count : limit - 2) &&
           greatest + least <= limit + 52 - detail::float_layout<T>::mantissa_bits - log_count;
  }
  /// Magnitudes are below 2^top() and multiples of 2^bottom().
  MULTIFOLD_HD constexpr int top() const { return static_cast<int>(fields >> 16) - bias + 1; }
  MULTIFOLD_HD constexpr int bottom() const {
    return limit - static_cast<int>(fields & 0xffffu) - bias - detail::float_layout<T>::mantissa_bits;
  }
};

/// The windows that numbers below 2^top take, which are multiples of 2^bottom, so that all sums of up to 2^log_count of
/// them stay exact. Window k has the unit 2^(unit - k step); the last one, which takes what the others leave, none.
struct window_layout {
  int unit, step, count;

  MULTIFOLD_HD constexpr window_layout(int top, int bottom, int log_count)
      : unit(top + log_count - 51), step(52 - log_count), count(1) {
    if (one_is_enough(bottom)) return;
    const int rest = unit - bottom - (step + 2);
    count = 2 + (rest > 0 ? (rest + step - 1) / step : 0);
  }
  /// `count` is at most `windows` if what multiples of 2^bottom reach is at most this: said without a division.
  MULTIFOLD_HD constexpr int reach(int bottom) const { return unit - bottom; }
  MULTIFOLD_HD constexpr int most_reach(int windows) const { return (windows - 1) * step + 2; }
  MULTIFOLD_HD constexpr bool one_is_enough(int bottom) const { return reach(bottom) <= most_reach(1); }
  MULTIFOLD_HD constexpr bool two_are_enough(int bottom) const { return reach(bottom) <= most_reach(2); }
  /// Whether so many windows start at doubles, and sums are doubles.
  MULTIFOLD_HD constexpr bool in_range(int windows) const {
    return unit + 52 < 1023 && unit + 52 - (windows - 2) * step >= -1022;
  }
  /// Where the first window starts, 1.5 times 2^52 units, whose last place is the unit, and from one start to the next.
  MULTIFOLD_HD constexpr double start() const { return 1.5 * detail::power_of_two(unit + 52); }
  MULTIFOLD_HD constexpr double down() const { return detail::power_of_two(-step); }
};

/// The least l with count <= 2^l.
MULTIFOLD_HD constexpr int log_of_count(int count) {
#if defined(__CUDA_ARCH__)
  return count <= 1 ? 0 : 32 - __clz(count - 1);
#else
  return count <= 1 ? 0 : detail::bit_width(static_cast<uint128_t>(count - 1));
#endif
}
MULTIFOLD_HD constexpr int log_of_count(std::int64_t count) {
#if defined(__CUDA_ARCH__)
  return count <= 1 ? 0 : 64 - __clzll(count - 1);
#else
  return count <= 1 ? 0 : detail::bit_width(static_cast<uint128_t>(count - 1));
#endif
}

/// Sums in `Count` windows, as many as the layout has or more: an element goes from window to window, and each keeps
/// what is a multiple of its unit.
template <int Count>
struct window_sums {
  static_assert(Count >= 2);
  double sum[Count];

  window_sums() = default;
  MULTIFOLD_HD constexpr explicit window_sums(const window_layout& layout) : sum{} {
    double start = layout.start();
    MULTIFOLD_UNROLLED
    for (int k = 0; k + 1 < Count; ++k, start *= layout.down()) sum[k] = start;
  }
  /// A number to the windows from `First` on: to others it would add nothing.
  template <int First = 0>
  MULTIFOLD_HD constexpr void add(double x) {
    MULTIFOLD_UNROLLED
    for (int k = First; k + 1 < Count; ++k) {
      const double next = detail::plain_sum(sum[k], x);
      x = detail::plain_sum(x, detail::plain_difference(sum[k], next));
      sum[k] = next;
    }
    sum[Count - 1] = detail::plain_sum(sum[Count - 1], x);
  }
  /// The product of two numbers, which is a double or, of doubles, two of them.
  template <class Carrier>
  MULTIFOLD_HD void add_product(Carrier x, Carrier y) {
    const double u = x, v = y;
    if constexpr (sizeof(Carrier) == 8) {
      const double product = detail::plain_product(u, v);
      add(product);
      add<1>(std::fma(u, v, -product));
    } else {
      const double next = std::fma(u, v, sum[0]);
      const double rest = std::fma(u, v, detail::plain_difference(sum[0], next));
      sum[0] = next;
      add<1>(rest);
    }
  }
  /// Makes the windows their sums, which together are that of the elements.
  MULTIFOLD_HD constexpr void close(const window_layout& layout) {
    double start = layout.start();
    MULTIFOLD_UNROLLED
    for (int k = 0; k + 1 < Count; ++k, start *= layout.down()) sum[k] = detail::plain_difference(sum[k], start);
  }
};

/// Windows of f16, whatever the exponents are: elements are multiples of 2^-24 below 2^16, products of 2^-48 below
/// 2^32. Sums of up to `most` elements fit one double, of their products two windows; those of several threads, which
/// have up to `most_together`, are exact in a part more each.
struct half_windows {
  static constexpr int log_most = 12, most = 1 << log_most, most_together = 1 << (log_most + 2);

  MULTIFOLD_HD static constexpr window_layout of_elements() { return {16, -24, log_most}; }
  MULTIFOLD_HD static constexpr window_layout of_products() { return {32, -48, log_most}; }

  /// A sum of elements, and what windows of products have come to, in parts.
  MULTIFOLD_HD static constexpr void part_elements(double sum, double (&part)[2]) {
    split(sum, 0x1.8p48, part[0], part[1]);
  }
  MULTIFOLD_HD static constexpr void part_products(const double (&sum)[2], double (&part)[3]) {
    part[0] = sum[0];
    split(sum[1], 0x1.8p23, part[1], part[2]);
  }

 private:
  // Into a multiple of the last place of `start`, and the rest.
  MULTIFOLD_HD static constexpr void split(double x, double start, double& high, double& low) {
    high = detail::plain_difference(detail::plain_sum(x, start), start);
    low = detail::plain_difference(x, high);
  }
};
static_assert(half_windows::of_elements().count == 1 && half_windows::of_products().count == 2);

}  // namespace multifold::inline v0_1
