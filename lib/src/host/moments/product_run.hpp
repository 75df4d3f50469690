// A run of products to their exact sum, in integers: for data whose products do not differ by much.
// See docs/exact-sums.md, 15.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/exact/tile.hpp"
#include "host/moments/float_products.hpp"
#include "host/moments/terms.hpp"
#include "multifold/exact/accumulator.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::host {

/// Three windows for products x y of doubles with |RN(x y)| < 2^top that are multiples of 2^unit().
///
/// Each adds numbers to a constant 1.5 * 2^k, so that the bits of the sum count units of 2^(k - 52); differences of
/// those bits add up as integers. What the first one rounds off goes to the second, without the error of the product,
/// which follows:
///     p + e = x y;  t = RN(x y + M[0]);  c = M[1] - (t - M[0]);  t' = RN(x y + c);  rest = e - (t' - (p + c))
/// All that is not written with RN is exact. Rests add up for the elements of a tile, then go to the third window.
struct product_windows {
  static constexpr int least_top = -926, most_top = 1021;
  static constexpr int span = 43;  // |RN(x y)| >= 2^(top - span) makes x y a multiple of 2^unit()

  int top;

  MULTIFOLD_INLINE int unit_of(int i) const { return top - (i == 0 ? 51 : i == 1 ? 102 : 148); }
  MULTIFOLD_INLINE int unit() const { return unit_of(2); }
  MULTIFOLD_INLINE double origin(int i) const { return 1.5 * power_of_two(unit_of(i) + 52); }
};

/// What the lanes of a tile come to, and the extremes of |RN(x y)|.
struct product_lanes {
  using element = double;
  using windows_type = product_windows;
  // Not window_width: all that a lane has stays in registers, of AVX2 nearly so. EPYC, norm2, ns an element, 16 and 32
  // lanes: AVX-512 0.36, 0.40; AVX2 0.44, 0.53.
  static constexpr int width = 16, windows = 3;
  static constexpr int step_bits = 51;  // each element moves a window by at most 2^51 of its units

  std::uint64_t window[windows][width];
  double least[width], most[width];
  bool number;  // none was NaN or infinite

  // The extremes are cheap beside the rest: they are watched always.
  template <bool Fma, bool Square, bool>
  MULTIFOLD_INLINE void sum(const product_windows& at, const packed<double>* x, const packed<double>* y,
                            std::int64_t count) {
    const double first = at.origin(0), both = first + at.origin(1), last = at.origin(2);
    std::uint64_t high[width] = {}, middle[width] = {};
    double rest[width] = {};
    for (int j = 0; j < width; ++j) least[j] = std::numeric_limits<double>::max(), most[j] = 0;
    for_each_lanes<width>(x, y, count, [&](const packed<double>* a, const packed<double>* b) {
      for (int j = 0; j < width; ++j) {
        const double u = a[j].value, v = Square ? u : b[j].value;
        const split_product term = product_of<Fma>(u, v);
        const double magnitude = Square ? term.product : std::fabs(term.product);
        least[j] = magnitude < least[j] ? magnitude : least[j];
        most[j] = most[j] < magnitude ? magnitude : most[j];
        const double t = Fma ? __builtin_fma(u, v, first) : term.product + first;
        const double c = both - t, moved = term.product + c;
        const double next = Fma ? __builtin_fma(u, v, c) : moved + term.error;
        high[j] += std::bit_cast<std::uint64_t>(t);
        middle[j] += std::bit_cast<std::uint64_t>(next);
        rest[j] += term.error - (next - moved);
      }
    });
    const std::uint64_t steps = static_cast<std::uint64_t>(count + width - 1) / width;
    const std::uint64_t taken[] = {steps * std::bit_cast<std::uint64_t>(first),
                                   steps * std::bit_cast<std::uint64_t>(at.origin(1)),
                                   std::bit_cast<std::uint64_t>(last)};
    for (int j = 0; j < width; ++j) {
      window[0][j] = high[j] - taken[0];
      window[1][j] = middle[j] - taken[1];
      window[2][j] = std::bit_cast<std::uint64_t>(rest[j] + last) - taken[2];
      rest[j] -= rest[j];
    }
    halve_lanes<width / 2>(rest);
    number = rest[0] == 0;
    fold_extremes();
  }

  /// Whether the windows hold them.
  template <bool Square>
  MULTIFOLD_INLINE bool fit(const product_windows& at, const packed<double>* x, const packed<double>* y,
                            std::int64_t count) const {
    if (!number || !(most[0] < power_of_two(at.top))) return false;
    if (least[0] >= power_of_two(at.top - product_windows::span)) return true;
    if (least[0] != 0) return false;  // else 0 is a factor, or lies near the product
    const value_bounds bounds_x = bounds_of(range_of(x, count));
    const value_bounds bounds_y = Square ? bounds_x : bounds_of(range_of(y, count));
    const value_bounds bounds = product_bounds(bounds_x, bounds_y);
    return bounds.zero || (exact(bounds_x, bounds_y) && bounds.unit >= at.unit());
  }

  /// Whether products of such factors have all the bits that bounds tell of: factors that are not 0 are at least
  /// 2^(unit + 52) then, and products 2^(unit + 104).
  MULTIFOLD_INLINE static bool exact(const value_bounds& x, const value_bounds& y) {
    constexpr int least = multifold::detail::float_layout<double>::least_exponent;
    return x.unit > least && y.unit > least;
  }

 private:
  template <int Width = width / 2>
  MULTIFOLD_INLINE void fold_extremes() {
    for (int j = 0; j < Width; ++j) {
      least[j] = least[j + Width] < least[j] ? least[j + Width] : least[j];
      most[j] = most[j] < most[j + Width] ? most[j + Width] : most[j];
    }
    if constexpr (Width > 1) fold_extremes<Width / 2>();
  }
};

/// Tiles whose products fit the same windows, which are those of the latest tile that did not fit.
template <class Lanes>
class product_run {
  using element = typename Lanes::element;
  static constexpr int width = Lanes::width;

 public:
  using windows_type = typename Lanes::windows_type;

  /// Elements between two calls of `finish`, 2^11 a lane.
  static constexpr std::int64_t capacity = std::int64_t{width} << 11;
  static_assert(Lanes::step_bits + 11 < 63);

  /// Adds the products of at most moment_tile_elements pairs of any elements. Returns false, and adds nothing, if
  /// they do not fit, or the ones before did not.
  template <bool Fma, bool Square>
  MULTIFOLD_INLINE bool add(const packed<element>* x, const packed<element>* y, std::int64_t count) {
    if (!hopeful_) return false;
    Lanes lanes;
    lanes.template sum<Fma, Square, true>(windows_, x, y, count);
    hopeful_ = lanes.template fit<Square>(windows_, x, y, count);
    if (!hopeful_) return false;
    take(lanes);
    return true;
  }

  /// The same for finite elements with these bounds; `sum` takes what does not fit the same windows.
  template <bool Fma, bool Square, exact_format Format>
  MULTIFOLD_INLINE bool add(exact_accumulator<Format>& sum, const packed<element>* x, const packed<element>* y,
                            std::int64_t count, const value_bounds& bounds_x, const value_bounds& bounds_y) {
    if (!Lanes::exact(bounds_x, bounds_y)) return false;
    const value_bounds bounds = product_bounds(bounds_x, bounds_y);
    hopeful_ = aimed_ && bounds.top <= windows_.top && bounds.unit >= windows_.unit();
    if (!hopeful_) {
      const int spare = bounds.unit - windows_type{bounds.top}.unit();
      if (spare < 0) return false;
      const int top = bounds.top + spare / 4;  // of what follows, more is below these than above
      if (top < windows_type::least_top || top > windows_type::most_top) return false;
      finish(sum);
      aimed_ = true;
      windows_.top = top;
    }
    Lanes lanes;
    lanes.template sum<Fma, Square, false>(windows_, x, y, count);
    take(lanes);
    return true;
  }

  /// Moves all to `sum`.
  template <exact_format Format>
  MULTIFOLD_INLINE void finish(exact_accumulator<Format>& sum) {
    if (aimed_) move_to(sum);
  }

 private:
  template <exact_format Format>
  [[gnu::noinline]] void move_to(exact_accumulator<Format>& sum) {
    constexpr bool short_totals = Lanes::step_bits + 11 + bits_of_count(width) < 63;
    for (int i = 0; i < Lanes::windows; ++i) {
      std::conditional_t<short_totals, std::int64_t, int128_t> total = 0;
      for (std::uint64_t& lane : window_[i]) {
        total += static_cast<std::int64_t>(lane);
        lane = 0;
      }
      if constexpr (short_totals) {
        sum.add_quanta(total, windows_.unit_of(i));
        continue;
      }
      sum.add_quanta(static_cast<std::int64_t>(total & 0xffffffff), windows_.unit_of(i));
      sum.add_quanta(static_cast<std::int64_t>(total >> 32), windows_.unit_of(i) + 32);
    }
  }

  MULTIFOLD_INLINE void take(const Lanes& lanes) {
    for (int i = 0; i < Lanes::windows; ++i) {
      for (int j = 0; j < width; ++j) window_[i][j] += lanes.window[i][j];
    }
  }

  windows_type windows_{};
  bool aimed_ = false;
  bool hopeful_ = false;  // the latest tile fitted: the next one is added before its exponents are known
  std::uint64_t window_[Lanes::windows][width] = {};
};

using double_product_run = product_run<product_lanes>;
using float_product_run = product_run<float_product_lanes>;

/// Where no products are summed, or those of integers.
struct no_product_run {
  static constexpr std::int64_t capacity = moment_tile_elements;
};
template <class T, moment_set Set>
using product_run_of =
    std::conditional_t<!sums_products(Set) || !floating_storage<T>, no_product_run,
                       std::conditional_t<std::is_same_v<T, double>, double_product_run, float_product_run>>;

}  // namespace multifold::inline v0_1::host
