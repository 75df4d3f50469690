// A few rows of batches side by side to their sums of moments: through windows that lie, batch by batch, where its
// elements are. An element costs its conversion, one or four additions, and its product five.
// Proofs: docs/exact-sums.md, 15.
#pragma once

#include <algorithm>
#include <cmath>

#include "host/moments/lanes.hpp"
#include "host/moments/tile.hpp"

namespace multifold::inline v0_1::host {

/// Windows that each lane has for itself, one number a lane at a time.
template <int Windows>
struct lane_windows {
  double s[Windows][window_width];

  MULTIFOLD_INLINE void start(const int* top, int count_bits) {
    for (int i = 0; i + 1 < Windows; ++i) {
      for (int j = 0; j < window_width; ++j) s[i][j] = window_list{top[j], count_bits}.origin(i);
    }
    for (int j = 0; j < window_width; ++j) s[Windows - 1][j] = -0.0;
  }

  template <int First = 0>
  MULTIFOLD_INLINE void add(int j, double v) {
    for (int i = First; i + 1 < Windows; ++i) {
      const double t = s[i][j] + v;
      v -= t - s[i][j];
      s[i][j] = t;
    }
    s[Windows - 1][j] += v;
  }

  /// Adds a product that is a double.
  template <bool Fma>
  MULTIFOLD_INLINE void add_product(int j, double x, double y) {
    if constexpr (Fma && Windows > 1) {
      const double t = __builtin_fma(x, y, s[0][j]);
      const double rest = __builtin_fma(x, y, -(t - s[0][j]));  // keeps the sign of a zero
      s[0][j] = t;
      add<1>(j, rest);
    } else {
      add(j, x * y);
    }
  }

  /// What window i has gathered: the last one tells the sign of zeros.
  MULTIFOLD_INLINE double total(int i, int j, int top, int count_bits) const {
    if (i + 1 == Windows) return s[i][j];
    const double sum = s[i][j] - window_list{top, count_bits}.origin(i);
    return blend(sum == 0, -0.0, sum);
  }
};

/// Rows in L1: those of an array may lie so far apart that they drive each other out.
template <class T, moment_set Set>
class moment_block {
  using C = carrier_of<T>;
  using sums_type = moment_lanes<T, Set>;
  using parts = typename sums_type::parts;
  static constexpr int lanes = moment_lane_count;
  static constexpr bool two = reads_two_arrays(Set), split = sums_type::split;

 public:
  static constexpr int most_rows = split ? 32 : 64, fewest_rows = 8;

  MULTIFOLD_INLINE void read(const lane_rows<T>& rows, std::int64_t first, int count, int n) {
    count_ = count;
    stride_ = rows.stride;
    next_ = rows.x + (first + count < rows.indices.count ? (first + count) * rows.stride : lanes);
    ranges_x_.clear(lanes);
    if constexpr (two) ranges_y_.clear(lanes);
    for (int k = 0; k < count; ++k) {
      const std::int64_t at = (first + k) * rows.stride, later = at + far_away * rows.stride;
      if (two && first + k + far_away < rows.indices.count) {
        ask_for<lanes>(rows.x + later);
        ask_for<lanes>(rows.y + later);
      }
      read_row(rows.x + at, n, x_[k], ranges_x_);
      if constexpr (two) read_row(rows.y + at, n, y_[k], ranges_y_);
    }
  }

  /// Adds the rows to `sums`, or false, if they are not finite or span too much.
  template <bool Fma>
  MULTIFOLD_INLINE bool add_to(sums_type& sums) const {
    const int count_bits = bits_of_count(count_), product_bits = count_bits + (split ? 1 : 0);
    place x, y, products;
    bool possible = x.template of<T>(ranges_x_);
    if constexpr (two) possible = y.template of<T>(ranges_y_) && possible;
    if constexpr (sums_products(Set)) possible = products.of_product(x, two ? y : x) && possible;
    if (!possible) return false;
    const int elements = !sums_elements(Set) ? 0 : Set == moment_set::joint ? std::max(x.span, y.span) : x.span;
    const int span = sums_products(Set) ? products.span : 0;
    constexpr int few = split ? 2 : 1, few_products = split ? 4 : 2;
    if (fits(few, elements, count_bits) && fits(few_products, span, product_bits)) {
      add_windows<Fma, few, few_products>(sums, x, y, products);
    } else if (!split && fits(2, elements, count_bits) && fits(3, span, product_bits)) {
      add_windows<Fma, 2, 3>(sums, x, y, products);
    } else {
      return false;
    }
    return true;
  }

  const packed<C>* x(int row) const { return x_[row]; }
  const packed<C>* y(int row) const { return two ? y_[row] : x_[row]; }

 private:
  static constexpr std::int64_t far_away = 8;  // rows

  struct place {
    int top[lanes], unit[lanes];
    int span;

    template <class Element>
    MULTIFOLD_INLINE bool of(const range_lanes<C, lanes>& ranges) {
      for (int j = 0; j < lanes; ++j) {
        const value_bounds b = detail::narrowed<Element>(bounds_of(ranges.at(j)));
        top[j] = b.zero ? 1 : b.top;
        unit[j] = b.zero ? 0 : b.unit;
      }
      typename exponent_range<C>::bits most = 0;
      for (int j = 0; j < lanes; ++j) most = most < ranges.most[j] ? ranges.most[j] : most;
      return note_span() && most < exponent_range<C>::top;
    }
    MULTIFOLD_INLINE bool of_product(const place& x, const place& y) {
      for (int j = 0; j < lanes; ++j) top[j] = x.top[j] + y.top[j];
      for (int j = 0; j < lanes; ++j) unit[j] = x.unit[j] + y.unit[j];
      return note_span();
    }

   private:
    // Whether nothing overflows or underflows.
    MULTIFOLD_INLINE bool note_span() {
      int highest = top[0], lowest = unit[0];
      span = 0;
      for (int j = 0; j < lanes; ++j) span = span < top[j] - unit[j] ? top[j] - unit[j] : span;
      for (int j = 0; j < lanes; ++j) highest = highest < top[j] ? top[j] : highest;
      for (int j = 0; j < lanes; ++j) lowest = unit[j] < lowest ? unit[j] : lowest;
      return sizeof(C) < 8 || (highest <= 990 && lowest >= -1074);
    }
  };

  MULTIFOLD_INLINE static bool fits(int windows, int span, int count_bits) {
    return window_list{span, count_bits}.ends(windows - 1, 0);
  }

  MULTIFOLD_INLINE static void read_row(const packed<T>* from, int n, packed<C>* to, range_lanes<C, lanes>& ranges) {
    if (n == lanes) {
      // Where this is a copy, GCC 12 would do it by a string instruction.
      C nothing = -C{};
      asm("" : "+m"(nothing));
      for_each_widened<lanes>(from, 0, lanes, [&](int j, auto value) { to[j].value = value + nothing; });
    } else {
      for_each_widened<lanes>(from, 0, n, [&](int j, auto value) { to[j].value = value; });
      for (int j = n; j < lanes; ++j) to[j].value = 0;
    }
    for (int j = 0; j < lanes; ++j) ranges.add(j, to[j].value);
  }

  // Into L2: in L1, lines that lie as far apart as rows do would drive each other out. One array is asked for while the
  // rows before are added up, two arrays 8 rows ahead: each was the quicker way.
  template <int Count>
  MULTIFOLD_INLINE static void ask_for(const packed<T>* from) {
    constexpr int line = cache_line / static_cast<int>(sizeof(T));
    for (int j = 0; j < Count; j += line) __builtin_prefetch(from + j, 0, 2);
  }

  template <bool Fma, int Windows, int ProductWindows>
  MULTIFOLD_INLINE void add_windows(sums_type& sums, const place& x, const place& y, const place& products) const {
    const int count_bits = bits_of_count(count_), product_bits = count_bits + (split ? 1 : 0);
    for (int at = 0; at < lanes; at += window_width) {
      lane_windows<Windows> of_x, of_y;
      lane_windows<ProductWindows> of_products;
      if constexpr (sums_elements(Set)) of_x.start(x.top + at, count_bits);
      if constexpr (Set == moment_set::joint) of_y.start(y.top + at, count_bits);
      if constexpr (sums_products(Set)) of_products.start(products.top + at, product_bits);
      for (int k = 0; k < count_; ++k) {
        if constexpr (!two) ask_for<window_width>(next_ + k * stride_ + at);
        const packed<C>*const a = x_[k] + at, *const b = (two ? y_[k] : x_[k]) + at;
        for (int j = 0; j < window_width; ++j) {
          const double cx = to_double(a[j].value), cy = to_double(b[j].value);
          if constexpr (Set == moment_set::absolute) of_x.add(j, std::fabs(cx));
          else if constexpr (sums_elements(Set)) of_x.add(j, cx);
          if constexpr (Set == moment_set::joint) of_y.add(j, cy);
          if constexpr (sums_products(Set)) add_product<Fma>(of_products, j, cx, cy);
        }
      }
      if constexpr (sums_elements(Set)) put<parts::x, 2>(sums, of_x, at, x, count_bits);
      if constexpr (Set == moment_set::joint) put<parts::y, 2>(sums, of_y, at, y, count_bits);
      if constexpr (sums_products(Set)) {
        put<parts::products, parts::product_count>(sums, of_products, at, products, product_bits);
      }
    }
    for (int j = 0; j < lanes; ++j) sums.count[j] += count_;
  }

  template <bool Fma, int Windows>
  MULTIFOLD_INLINE static void add_product(lane_windows<Windows>& windows, int j, double x, double y) {
    if constexpr (split) {
      const split_product term = product_of<Fma>(x, y);
      windows.template add<0>(j, term.product);
      // An error of +0 would hide that all products are -0.
      windows.template add<1>(j, two ? blend(term.product == 0, -0.0, term.error) : term.error);
    } else {
      windows.template add_product<Fma>(j, x, y);
    }
  }

  template <int First, int Count, int Windows>
  MULTIFOLD_INLINE static void put(sums_type& sums, const lane_windows<Windows>& windows, int at, const place& where,
                                   int count_bits) {
    for (int i = 0; i < Windows; ++i) {
      for (int j = 0; j < window_width; ++j) {
        sums.template put<First, Count>(at + j, windows.total(i, j, where.top[at + j], count_bits));
      }
    }
  }

  packed<C> x_[most_rows][lanes], y_[two ? most_rows : 1][lanes];
  range_lanes<C, lanes> ranges_x_, ranges_y_;
  const packed<T>* next_;  // what is read after these rows
  std::int64_t stride_;
  int count_;
};

/// Adds rows of `n` lanes to as many accumulators, `step` apart. Returns the lanes that are lost, as bits; their
/// accumulators are as they were.
template <bool Fma, class T, moment_set Set>
MULTIFOLD_INLINE std::uint64_t gather_lanes(const moment_gather<T, Set>& op, moment_partial<carrier_of<T>, Set>* acc,
                                            std::int64_t step, const lane_rows<T>& rows, int n) {
  using key = key_of<carrier_of<T>>;
  moment_lanes<T, Set> sums;
  sums.load(acc, step, n);
  const key propagates = op.moments.nan == nan_policy::propagate ? -1 : 0;
  moment_block<T, Set> block;
  for (std::int64_t first = 0; first < rows.indices.count; first += block.most_rows) {
    const auto count = static_cast<int>(std::min<std::int64_t>(block.most_rows, rows.indices.count - first));
    block.read(rows, first, count, n);
    if (count < block.fewest_rows || !block.template add_to<Fma>(sums)) {
      for (int k = 0; k < count; ++k) sums.template add<Fma>(block.x(k), block.y(k), propagates);
    }
    if constexpr (Set == moment_set::description) {
      const index_range indices{rows.indices.at(first), rows.indices.step, count};
      mark_block<carrier_of<T>, moment_lane_count>(
          block.x(0), moment_lane_count, indices, n, propagates == 0, [&](int j) -> auto& { return sums.marks[j]; });
    }
  }
  std::uint64_t lost = 0;
  for (int j = 0; j < n; ++j) {
    if (sums.lost(j)) lost |= std::uint64_t{1} << j;
    else sums.store(j, acc[j * step]);
  }
  return lost;
}

}  // namespace multifold::inline v0_1::host
