// Tiles of products of floats in integers, for a product_run: such products are exact in double.
// See docs/exact-sums.md, 15.
#pragma once

#include <cstdint>

#include "host/exact/tile.hpp"
#include "host/moments/terms.hpp"

namespace multifold::inline v0_1::host {

/// Two windows for products p with |p| < 2^top that are multiples of 2^unit(), moment_tile_elements of them in
/// lanes.
///
/// A lane adds products to a constant 1.5 * 2^k, so that the bits of what it has come to count units of 2^(k - 52).
/// What that rounds off adds up exactly for the elements of a tile, then goes to the second window:
///     t = RN(s + p);  rest += p - (t - s);  s = t
struct float_product_windows {
  static constexpr int least_top = -250, most_top = 300;  // all that there are: subnormals count as 2^-126

  int top;

  MULTIFOLD_INLINE int unit_of(int i) const { return top - (i == 0 ? 44 : 90); }
  MULTIFOLD_INLINE int unit() const { return unit_of(1); }
  MULTIFOLD_INLINE double origin(int i) const { return 1.5 * power_of_two(unit_of(i) + 52); }
};

/// What the lanes of a tile come to.
struct float_product_lanes {
  using element = float;
  using windows_type = float_product_windows;
  // Of the sums. Ranges have window_width. EPYC, ns an element of dot from memory: 0.39 so, 0.77 with 16 for both.
  static constexpr int width = 16, windows = 2;
  static constexpr int step_bits = 45;  // each element moves a window by at most 2^45 of its units
  static_assert(moment_tile_elements <= 64 * width);

  std::uint64_t window[windows][width];
  exponent_range<float> range_x, range_y;  // if the factors are watched

  template <bool Fma, bool Square, bool Watched>
  MULTIFOLD_INLINE void sum(const float_product_windows& at, const packed<float>* x, const packed<float>* y,
                            std::int64_t count) {
    const double first = at.origin(0), last = at.origin(1);
    double sums[width], rest[width];
    for (int j = 0; j < width; ++j) sums[j] = first, rest[j] = 0;
    range_lanes<float, window_width> ranges_x, ranges_y;
    ranges_x.clear(window_width);
    ranges_y.clear(window_width);
    for_each_lanes<window_width>(x, y, count, [&](const packed<float>* a, const packed<float>* b) {
      if constexpr (Watched) {
        for (int j = 0; j < window_width; ++j) ranges_x.add(j, a[j].value);
        if constexpr (!Square) {
          for (int j = 0; j < window_width; ++j) ranges_y.add(j, b[j].value);
        }
      }
      for (int half = 0; half < window_width; half += width) {
        for (int j = 0; j < width; ++j) {
          const double u = to_double(a[half + j].value), v = Square ? u : to_double(b[half + j].value);
          const double next = Fma ? __builtin_fma(u, v, sums[j]) : u * v + sums[j];
          const double back = sums[j] - next;
          rest[j] += Fma ? __builtin_fma(u, v, back) : u * v + back;
          sums[j] = next;
        }
      }
    });
    for (int j = 0; j < width; ++j) {
      window[0][j] = std::bit_cast<std::uint64_t>(sums[j]) - std::bit_cast<std::uint64_t>(first);
      window[1][j] = std::bit_cast<std::uint64_t>(rest[j] + last) - std::bit_cast<std::uint64_t>(last);
    }
    if constexpr (Watched) {
      range_x = ranges_x.fold();
      range_y = Square ? range_x : ranges_y.fold();
    }
  }

  /// Whether the windows hold them, if they were watched.
  template <bool Square>
  MULTIFOLD_INLINE bool fit(const float_product_windows& at, const packed<float>*, const packed<float>*,
                            std::int64_t) const {
    constexpr auto top = exponent_range<float>::top;
    if (range_x.most >= top || range_y.most >= top) return false;
    const value_bounds bounds = product_bounds(bounds_of(range_x), bounds_of(range_y));
    return bounds.zero || (bounds.top <= at.top && bounds.unit >= at.unit());
  }

  /// Whether products of such factors have all the bits that bounds tell of.
  MULTIFOLD_INLINE static bool exact(const value_bounds&, const value_bounds&) { return true; }
};

}  // namespace multifold::inline v0_1::host
