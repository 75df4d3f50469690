// A run of products of binary64 to their exact sum, in integers: for data whose products do not differ by much.
// See docs/exact-sums.md, 15.
#pragma once

#include <cmath>
#include <cstdint>

#include "host/exact_stretch.hpp"
#include "host/moments_terms.hpp"
#include "multifold/exact/accumulator.hpp"
#include "multifold/ops/moments.hpp"

namespace multifold::host {

/// Three windows for products x y with |RN(x y)| < 2^top that are multiples of 2^unit().
///
/// Each adds numbers to a constant 1.5 * 2^k, so that the bits of the sum count units of 2^(k - 52); differences of
/// those bits add up as integers. What the first one rounds off goes to the second, without the error of the product,
/// which follows:
///     p + e = x y;  t = RN(x y + M[0]);  c = M[1] - (t - M[0]);  t' = RN(x y + c);  rest = e - (t' - (p + c))
/// All that is not written with RN is exact. Rests add up for the elements of a stretch, then go to the third window.
struct product_windows {
  static constexpr int least_top = -926, most_top = 1021;
  static constexpr int span = 43;  // |RN(x y)| >= 2^(top - span) makes x y a multiple of 2^unit()

  int top;

  MULTIFOLD_INLINE int unit_of(int i) const { return top - (i == 0 ? 51 : i == 1 ? 102 : 148); }
  MULTIFOLD_INLINE int unit() const { return unit_of(2); }
  MULTIFOLD_INLINE double origin(int i) const { return 1.5 * power_of_two(unit_of(i) + 52); }
};

/// What the lanes of a stretch come to, and the extremes of |RN(x y)|.
struct product_lanes {
  // Not window_width: all that a lane has stays in registers, of AVX2 nearly so. EPYC, norm2, ns an element, 16 and 32
  // lanes: AVX-512 0.36, 0.40; AVX2 0.44, 0.53.
  static constexpr int width = 16;

  std::uint64_t window[3][width];
  double least[width], most[width];
  bool number;  // none was NaN or infinite

  template <bool Fma, bool Square>
  MULTIFOLD_INLINE void sum(const product_windows& windows, const packed<double>* x, const packed<double>* y,
                            std::int64_t count) {
    const double first = windows.origin(0), both = first + windows.origin(1), last = windows.origin(2);
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
                                   steps * std::bit_cast<std::uint64_t>(windows.origin(1)),
                                   std::bit_cast<std::uint64_t>(last)};
    for (int j = 0; j < width; ++j) {
      window[0][j] = high[j] - taken[0];
      window[1][j] = middle[j] - taken[1];
      window[2][j] = std::bit_cast<std::uint64_t>(rest[j] + last) - taken[2];
      rest[j] -= rest[j];
    }
    halve_lanes<width / 2>(rest);
    number = rest[0] == 0;
  }

  template <int Width = width / 2>
  MULTIFOLD_INLINE void fold_extremes() {
    for (int j = 0; j < Width; ++j) {
      least[j] = least[j + Width] < least[j] ? least[j + Width] : least[j];
      most[j] = most[j] < most[j + Width] ? most[j + Width] : most[j];
    }
    if constexpr (Width > 1) fold_extremes<Width / 2>();
  }
};

/// Stretches whose products fit the same windows, which are those of the latest stretch that did not fit.
class product_run {
  static constexpr int width = product_lanes::width;

 public:
  /// Elements between two calls of `finish`: each moves a window by at most 2^51 of its units, and 2^11 share a lane.
  static constexpr std::int64_t capacity = std::int64_t{width} << 11;

  /// Adds the products of at most moment_stretch_elements pairs of any elements. Returns false, and adds nothing, if
  /// they do not fit.
  template <bool Fma, bool Square>
  MULTIFOLD_INLINE bool add(const packed<double>* x, const packed<double>* y, std::int64_t count) {
    if (!aimed_) return false;
    product_lanes lanes;
    lanes.sum<Fma, Square>(windows_, x, y, count);
    lanes.fold_extremes();
    if (!lanes.number || !(lanes.most[0] < power_of_two(windows_.top))) return false;
    if (lanes.least[0] < power_of_two(windows_.top - product_windows::span)) {
      if (lanes.least[0] != 0) return false;  // else 0 is a factor, or lies near the product
      const value_bounds bounds_x = bounds_of(range_of(x, count));
      const value_bounds bounds_y = Square ? bounds_x : bounds_of(range_of(y, count));
      const value_bounds bounds = product_bounds(bounds_x, bounds_y);
      if (!bounds.zero && (!normal(bounds_x, bounds_y) || bounds.unit < windows_.unit())) return false;
    }
    take(lanes);
    return true;
  }

  /// The same for finite elements with these bounds; `sum` takes what does not fit the same windows.
  template <bool Fma, bool Square, exact_format Format>
  MULTIFOLD_INLINE bool add(exact_accumulator<Format>& sum, const packed<double>* x, const packed<double>* y,
                            std::int64_t count, const value_bounds& bounds_x, const value_bounds& bounds_y) {
    if (!normal(bounds_x, bounds_y)) return false;
    const value_bounds bounds = product_bounds(bounds_x, bounds_y);
    if (!aimed_ || bounds.top > windows_.top || bounds.unit < windows_.unit()) {
      const int spare = bounds.unit - product_windows{bounds.top}.unit();
      if (spare < 0) return false;
      const int top = bounds.top + spare / 4;  // of what follows, more is below these than above
      if (top < product_windows::least_top || top > product_windows::most_top) return false;
      finish(sum);
      aimed_ = true;
      windows_.top = top;
    }
    product_lanes lanes;
    lanes.sum<Fma, Square>(windows_, x, y, count);
    take(lanes);
    return true;
  }

  /// Moves all to `sum`.
  template <exact_format Format>
  [[gnu::noinline]] void finish(exact_accumulator<Format>& sum) {
    for (int i = 0; i < 3; ++i) {
      int128_t total = 0;
      for (std::uint64_t& lane : window_[i]) {
        total += static_cast<std::int64_t>(lane);
        lane = 0;
      }
      sum.add_quanta(static_cast<std::int64_t>(total & 0xffffffff), windows_.unit_of(i));
      sum.add_quanta(static_cast<std::int64_t>(total >> 32), windows_.unit_of(i) + 32);
    }
  }

 private:
  // Whether factors that are not 0 are at least 2^(unit + 52), and products 2^(unit + 104).
  MULTIFOLD_INLINE static bool normal(const value_bounds& x, const value_bounds& y) {
    constexpr int least = multifold::detail::float_layout<double>::least_exponent;
    return x.unit > least && y.unit > least;
  }

  MULTIFOLD_INLINE void take(const product_lanes& lanes) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < width; ++j) window_[i][j] += lanes.window[i][j];
    }
  }

  product_windows windows_{};
  bool aimed_ = false;
  std::uint64_t window_[3][width] = {};
};

/// Narrower elements have windows of their own.
struct no_product_run {
  static constexpr std::int64_t capacity = moment_stretch_elements;
};
template <class T, moment_set Set>
using product_run_of = std::conditional_t<std::is_same_v<T, double> && sums_products(Set), product_run, no_product_run>;

}  // namespace multifold::host
