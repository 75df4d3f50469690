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
  static constexpr int width = 16, windows = 2;
  static constexpr int step_bits = 45;  // each element moves a window by at most 2^45 of its units
  static_assert(moment_tile_elements <= 64 * width);

  std::uint64_t window[windows][width];

  template <bool Fma, bool Square>
  MULTIFOLD_INLINE void sum(const float_product_windows& at, const packed<float>* x, const packed<float>* y,
                            std::int64_t count) {
    const double first = at.origin(0), last = at.origin(1);
    double sums[width], rest[width];
    for (int j = 0; j < width; ++j) sums[j] = first, rest[j] = 0;
    for_each_lanes<width>(x, y, count, [&](const packed<float>* a, const packed<float>* b) {
      for (int j = 0; j < width; ++j) {
        const double u = to_double(a[j].value), v = Square ? u : to_double(b[j].value);
        const double next = Fma ? __builtin_fma(u, v, sums[j]) : u * v + sums[j];
        const double back = sums[j] - next;
        rest[j] += Fma ? __builtin_fma(u, v, back) : u * v + back;
        sums[j] = next;
      }
    });
    for (int j = 0; j < width; ++j) {
      window[0][j] = std::bit_cast<std::uint64_t>(sums[j]) - std::bit_cast<std::uint64_t>(first);
      window[1][j] = std::bit_cast<std::uint64_t>(rest[j] + last) - std::bit_cast<std::uint64_t>(last);
    }
  }

  /// Whether products of such factors have all the bits that bounds tell of.
  MULTIFOLD_INLINE static bool exact(const value_bounds&, const value_bounds&) { return true; }
};

}  // namespace multifold::inline v0_1::host
