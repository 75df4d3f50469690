// Exact sums of a run in windows: as many binary64 sums as the exponents of its elements need, each of multiples of a
// unit of its own. A first look at the elements tells how far their exponents reach; one binary64 is enough for
// ordinary data, and each window more costs three additions an element. Nothing is lost and taken back.
// Sources: Demmel and Hida 2003; Rump, Ogita and Oishi 2008; Zhu and Hayes 2010. Proofs: docs/exact-sums.md, 14.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/float_layout.hpp"
#include "multifold/exact/rolled.hpp"
#include "multifold/exact/uncontracted.hpp"
#include "multifold/scalar.hpp"

namespace multifold {

/// What a first look at numbers keeps: the greatest and the least magnitude of those that are not zero, as far as their
/// exponents go. Narrow formats are looked at as binary32.
template <floating_storage T>
struct magnitude_scan {
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int shift = wide ? 20 : 23;  // of the exponent field, in the upper word of a binary64

  std::uint32_t greatest = 0;
  std::uint32_t least = 0xffffffffu;  // less one, so that zeros are none

  MULTIFOLD_HD constexpr void see(double x) requires wide {
    const auto bits = bit_copy<std::uint64_t>(x);
    const auto upper = static_cast<std::uint32_t>(bits >> 32) & 0x7fffffffu;
    see_bits(upper | (static_cast<std::uint32_t>(bits) != 0 ? 1u : 0u));
  }
  MULTIFOLD_HD constexpr void see(float x) requires(!wide) { see_bits(bit_copy<std::uint32_t>(x) & 0x7fffffffu); }

 private:
  MULTIFOLD_HD constexpr void see_bits(std::uint32_t magnitude) {
    greatest = magnitude > greatest ? magnitude : greatest;
    least = magnitude - 1 < least ? magnitude - 1 : least;
  }
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
    const std::uint32_t low = (s.least + 1) >> scan::shift, least = low > 0 ? low : 1;
    if (s.greatest != 0) fields = (s.greatest >> scan::shift) << 16 | (limit - least);
  }
  MULTIFOLD_HD constexpr void merge(const exponent_range& other) {
#if defined(__CUDA_ARCH__)
    fields = __vmaxu2(fields, other.fields);
#else
    const std::uint32_t a = fields, b = other.fields;
    const std::uint32_t high = (a >> 16) > (b >> 16) ? a : b, low = (a & 0xffffu) > (b & 0xffffu) ? a : b;
    fields = (high & 0xffff0000u) | (low & 0xffffu);
#endif
  }

  MULTIFOLD_HD constexpr bool none() const { return fields == 0; }
  MULTIFOLD_HD constexpr bool finite() const { return static_cast<int>(fields >> 16) < limit - 1; }
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
    if (top + log_count - 53 <= bottom) return;
    const int rest = unit - bottom - (54 - log_count);
    count = 2 + (rest > 0 ? (rest + step - 1) / step : 0);
  }
  /// Whether so many windows start at binary64 numbers, and sums are binary64 numbers.
  MULTIFOLD_HD constexpr bool in_range(int windows) const {
    return unit + 52 < 1023 && unit + 52 - (windows - 2) * step >= -1022;
  }
  /// Where the first window starts, 1.5 times 2^52 units, whose last place is the unit, and from one start to the next.
  MULTIFOLD_HD constexpr double start() const { return 1.5 * detail::power_of_two(unit + 52); }
  MULTIFOLD_HD constexpr double down() const { return detail::power_of_two(-step); }
};

/// The least l with count <= 2^l.
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
  /// The product of two numbers, which is a binary64 or, of binary64 numbers, two of them.
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

}  // namespace multifold
