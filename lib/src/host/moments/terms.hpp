// What a tile of finite elements adds to a sum of moments: elements, magnitudes or products, exactly in double.
// See docs/exact-sums.md, 13 and 15.
#pragma once

#include <cmath>

#include "host/exact/tile.hpp"
#include "host/moments/windows.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::inline v0_1::host {

/// Adds value * 2^exponent.
template <exact_format Format>
[[gnu::noinline]] void add_part(exact_accumulator<Format>& sum, double value, int exponent) {
  const multifold::detail::whole_quanta q = multifold::detail::quanta_of(value);
  sum.add_quanta(q.value, q.exponent + exponent);
}

template <class C>
MULTIFOLD_INLINE value_bounds bounds_of(const exponent_range<C>& range) {
  using layout = multifold::detail::float_layout<C>;
  const auto field = [](auto twice) {
    const int f = static_cast<int>(twice >> (layout::mantissa_bits + 1));
    return f > 1 ? f : 1;
  };
  const auto least = static_cast<typename layout::bits_type>(range.least + 1);
  return {field(range.most) - layout::bias + 1, field(least) - 1 + layout::least_exponent, range.most == 0};
}
MULTIFOLD_INLINE value_bounds product_bounds(const value_bounds& x, const value_bounds& y) {
  return {x.top + y.top, x.unit + y.unit, x.zero || y.zero};
}

/// Two numbers whose sum is a product.
struct split_product {
  double product, error;
};

/// Products of doubles; the error is exact if it does not underflow: by fma, or by Dekker's and Veltkamp's splitting
/// (Numerische Mathematik 18, 1971), which factors up to 2^990 allow.
template <bool Fma>
MULTIFOLD_INLINE split_product product_of(double x, double y) {
  const double p = x * y;
  if constexpr (Fma) {
    return {p, __builtin_fma(x, y, -p)};
  } else {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double a = splitter * x, b = splitter * y;
    const double x_high = a - (a - x), y_high = b - (b - y);
    const double x_low = x - x_high, y_low = y - y_high;
    return {p, ((x_high * y_high - p) + x_high * y_low + x_low * y_high) + x_low * y_low};
  }
}

/// Terms by what they are made of: `first(x, y)`, and where one double cannot hold a term, `both(x, y)`.
template <class C>
struct element_terms {
  static constexpr bool split = false;
  MULTIFOLD_INLINE static double first(C x, C) { return to_double(x); }
};
template <class C>
struct magnitude_terms {
  static constexpr bool split = false;
  MULTIFOLD_INLINE static double first(C x, C) { return std::fabs(to_double(x)); }
};
template <class C, bool Fma>
struct product_terms {
  static constexpr bool split = sizeof(C) == 8;
  MULTIFOLD_INLINE static double first(C x, C y) { return to_double(x) * to_double(y); }
  MULTIFOLD_INLINE static split_product both(double x, double y) { return product_of<Fma>(x, y); }
};

/// Calls `f(x, y)` with pointers to Width elements each, the last ones filled up with zeros.
template <int Width = window_width, class C, class F>
MULTIFOLD_INLINE void for_each_lanes(const packed<C>* x, const packed<C>* y, std::int64_t count, const F& f) {
  std::int64_t k = 0;
  for (; k + Width <= count; k += Width) f(x + k, y + k);
  if (k == count) return;
  packed<C> rest_x[Width] = {}, rest_y[Width] = {};
  for (int j = 0; k + j < count; ++j) {
    rest_x[j] = x[k + j];
    rest_y[j] = y[k + j];
  }
  f(rest_x, rest_y);
}

template <class Terms, int Windows, class C, class Emit>
MULTIFOLD_INLINE void sum_in_lanes(const packed<C>* x, const packed<C>* y, std::int64_t count, const window_list& list,
                                   const Emit& emit) {
  window_lanes<Windows> lanes;
  lanes.start(list);
  for_each_lanes(x, y, count, [&](const packed<C>* a, const packed<C>* b) {
    for (int j = 0; j < window_width; ++j) {
      lanes.add(j, Terms::first(a[j].value, b[j].value));
    }
  });
  lanes.finish(emit);
}

/// Factors that bring elements to where their terms neither overflow nor underflow: powers of two, and the exponent
/// that takes them back.
struct term_scale {
  double x = 1, y = 1;
  int exponent = 0;

  bool none() const { return x == 1 && y == 1; }
};

template <class Terms, class C, class Emit>
MULTIFOLD_INLINE void sum_through_memory(const packed<C>* x, const packed<C>* y, std::int64_t count,
                                         const window_list& list, int unit, const term_scale& scale, const Emit& emit) {
  alignas(64) double values[(Terms::split ? 2 : 1) * moment_tile_elements];
  double* at = values;
  for_each_lanes(x, y, count, [&](const packed<C>* a, const packed<C>* b) {
    for (int j = 0; j < window_width; ++j) {
      if constexpr (Terms::split) {
        const split_product term = Terms::both(a[j].value * scale.x, b[j].value * scale.y);
        at[j] = term.product;
        at[j + window_width] = term.error;
      } else if constexpr (sizeof(C) == 8) {
        at[j] = Terms::first(a[j].value * scale.x, b[j].value);
      } else {
        at[j] = Terms::first(a[j].value, b[j].value);
      }
    }
    at += (Terms::split ? 2 : 1) * window_width;
  });
  sum_by_windows(values, at - values, list, unit, emit);
}

/// The scale of terms of doubles within these bounds, or `possible` false: then they span too much.
struct found_scale {
  term_scale scale;
  value_bounds bounds;
  bool possible;
};
MULTIFOLD_INLINE double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}
MULTIFOLD_INLINE found_scale scale_of_elements(const value_bounds& x) {
  constexpr int least = -1074, most = 990, down = 200;
  if (x.top <= most) return {{}, x, true};
  return {{power_of_two(-down), 1, down}, {x.top - down, x.unit - down, x.zero}, x.unit - down >= least};
}
MULTIFOLD_INLINE found_scale scale_of_products(const value_bounds& x, const value_bounds& y) {
  constexpr int least = -1074, most = 990;
  const value_bounds plain = product_bounds(x, y);
  if (x.top <= most && y.top <= most && plain.top <= most && plain.unit >= least) return {{}, plain, true};
  const int a = x.top > 1000 ? -1000 : -x.top, b = y.top > 1000 ? -1000 : -y.top;
  const value_bounds scaled{plain.top + a + b, plain.unit + a + b, plain.zero};
  const bool whole = x.unit + a >= least && y.unit + b >= least && scaled.unit >= least;
  return {{power_of_two(a), power_of_two(b), -(a + b)}, scaled, whole};
}

/// Adds the terms of at most moment_tile_elements finite elements. `bounds` are those of the scaled terms.
template <class Terms, class C, exact_format Format>
MULTIFOLD_INLINE void add_terms(exact_accumulator<Format>& sum, const packed<C>* x, const packed<C>* y,
                                std::int64_t count, const value_bounds& bounds, const term_scale& scale) {
  if (bounds.zero) return;
  constexpr bool split = Terms::split;
  const window_list list{bounds.top, split ? 11 : 10};
  const auto emit = [&](double part) { add_part(sum, part, scale.exponent); };
  // As many windows as ordinary data needs: elements of 24 bits over a range of 2^19; those of 53 bits over 2^31.
  // Products that are no further apart come as a product_run.
  constexpr int few = sizeof(C) == 8 ? 2 : 1;
  if (!Format::products && scale.none() && list.ends(few - 1, bounds.unit)) {
    if constexpr (!Format::products) sum_in_lanes<Terms, few>(x, y, count, list, emit);
  } else {
    sum_through_memory<Terms>(x, y, count, list, bounds.unit, scale, emit);
  }
}

}  // namespace multifold::inline v0_1::host
