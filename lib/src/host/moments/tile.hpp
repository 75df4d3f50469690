// A tile of floating-point elements to the exact sums of a set of moments: quickly where all are finite and not too
// far apart, one by one where they are not.
#pragma once

#include <cmath>

#include "host/elements/half_floats.hpp"
#include "host/elements/widened.hpp"
#include "host/moments/marks.hpp"
#include "host/moments/product_run.hpp"
#include "host/moments/terms.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::host {

/// At most longest_tile neighbours of one batch, and their partners in the second array, if there is one.
template <class T>
struct moment_tile {
  const packed<T>* x;
  const packed<T>* y;
  index_range indices;
};

namespace detail {

template <class C>
bool has_positive_zero(const packed<C>* x, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    if (!std::signbit(x[k].value)) return true;
  }
  return false;
}

/// Whether a product is anything but -0.
template <class C>
bool has_other_than_negative_zero(const packed<C>* x, const packed<C>* y, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const bool zero = x[k].value == 0 || y[k].value == 0;
    if (!zero || std::signbit(x[k].value) == std::signbit(y[k].value)) return true;
  }
  return false;
}

/// Adds what is not finite, and moves what is to `finite_x` and `finite_y`. Returns how many those are.
template <class T, moment_set Set, class C>
[[gnu::noinline]] std::int64_t add_specials(const exact_moments<T, Set>& op, moment_sums<T, Set>& into,
                                            const packed<C>* x, const packed<C>* y, std::int64_t count,
                                            packed<C>* finite_x, packed<C>* finite_y) {
  constexpr bool two = reads_two_arrays(Set);
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const C a = x[k].value, b = y[k].value;
    finite_x[kept].value = a;
    if constexpr (two) finite_y[kept].value = b;
    if (std::isfinite(a) && (!two || std::isfinite(b))) {
      ++kept;
      continue;
    }
    if (op.nan == nan_policy::omit && (a != a || (two && b != b))) continue;
    if constexpr (Set == moment_set::absolute) into.x.add(std::fabs(a));
    else if constexpr (sums_elements(Set)) into.x.add(a);
    if constexpr (Set == moment_set::joint) into.y.add(b);
    if constexpr (sums_products(Set)) into.products.add_product(a, b);
  }
  return kept;
}

/// Marks of a tile with NaN or infinities among its elements.
template <class C>
[[gnu::noinline]] void add_special_marks(description_marks<C>& marks, nan_policy policy, const packed<C>* x,
                                         const index_range& indices, packed<C>* numbers) {
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < indices.count; ++k) {
    const C value = x[k].value;
    numbers[kept].value = value;
    kept += value == value ? 1 : 0;
    marks.positive_infinity += std::isinf(value) && value > 0 ? 1 : 0;
    marks.negative_infinity += std::isinf(value) && value < 0 ? 1 : 0;
  }
  const std::int64_t nans = indices.count - kept;
  marks.nan += nans;
  if (kept > 0) merge_extremes<C>(marks, x, indices, mark_elements<C>(numbers, kept));
  if (nans > 0 && policy == nan_policy::propagate) merge_nans(marks, x, indices);
}

/// Counts finite elements whose sum comes by its terms.
template <exact_format Format, class C>
MULTIFOLD_INLINE void count_elements(exact_accumulator<Format>& sum, const packed<C>* x, std::int64_t count,
                                     const value_bounds& bounds) {
  const bool marked = !bounds.zero || sum.counters().not_negative_zero > 0 || has_positive_zero(x, count);
  sum.add_counts({count, 0, 0, 0, marked ? 1 : 0});
}

template <class C>
MULTIFOLD_INLINE void add_elements(exact_sum<C>& sum, const packed<C>* x, std::int64_t count,
                                   const value_bounds& bounds) {
  const found_scale found = scale_of_elements(bounds);
  if (sizeof(C) < 8 || found.possible) {
    count_elements(sum, x, count, bounds);
    add_terms<element_terms<C>>(sum, x, x, count, found.bounds, found.scale);
  } else {
    for (std::int64_t k = 0; k < count; ++k) sum.add(x[k].value);
  }
}

template <class C>
MULTIFOLD_INLINE void add_magnitudes(exact_sum<C>& sum, const packed<C>* x, std::int64_t count,
                                     const value_bounds& bounds) {
  const found_scale found = scale_of_elements(bounds);
  if (sizeof(C) < 8 || found.possible) {
    sum.add_counts({count, 0, 0, 0, 1});
    add_terms<magnitude_terms<C>>(sum, x, x, count, found.bounds, found.scale);
  } else {
    for (std::int64_t k = 0; k < count; ++k) sum.add(std::fabs(x[k].value));
  }
}

template <class C>
MULTIFOLD_INLINE void count_products(exact_dot<C>& sum, const packed<C>* x, const packed<C>* y, std::int64_t count) {
  const bool marked = sum.counters().not_negative_zero > 0 || x == y || has_other_than_negative_zero(x, y, count);
  sum.add_counts({count, 0, 0, 0, marked ? 1 : 0});
}

template <bool Fma, bool Square, class C, class Run>
MULTIFOLD_INLINE void add_products(exact_dot<C>& sum, const packed<C>* x, const packed<C>* y, std::int64_t count,
                                   const value_bounds& bounds_x, const value_bounds& bounds_y, Run& run) {
  const value_bounds bounds = product_bounds(bounds_x, bounds_y);
  found_scale found{{}, bounds, true};
  if constexpr (sizeof(C) == 8) found = scale_of_products(bounds_x, bounds_y);
  if (found.possible && found.scale.none() && !bounds.zero &&
      run.template add<Fma, Square>(sum, x, y, count, bounds_x, bounds_y)) {
    return count_products(sum, x, y, count);
  }
  if (found.possible) {
    count_products(sum, x, y, count);
    add_terms<product_terms<C, Fma>>(sum, x, y, count, found.bounds, found.scale);
  } else {
    for (std::int64_t k = 0; k < count; ++k) sum.add_product(x[k].value, y[k].value);
  }
}

/// Elements of bf16 have 16 bits less than those of f32, and those of f16 are multiples of 2^-24.
template <class T>
MULTIFOLD_INLINE value_bounds narrowed(value_bounds bounds) {
  if constexpr (std::is_same_v<T, bf16>) bounds.unit += 16;
  if constexpr (std::is_same_v<T, f16>) bounds.unit = bounds.unit < -24 ? -24 : bounds.unit;
  return bounds;
}

/// A buffer of a tile.
template <class C>
struct tile_copy {
  alignas(64) packed<C> element[moment_tile_elements];
};

template <bool Fma, class T, moment_set Set, class C>
MULTIFOLD_INLINE void gather_carried(const exact_moments<T, Set>& op, moment_sums<T, Set>& into, const packed<C>* x,
                                     const packed<C>* y, const index_range& indices, product_run_of<T, Set>& run) {
  constexpr bool two = reads_two_arrays(Set);
  std::int64_t count = indices.count;
  exponent_range<C> range_x = range_of(x, count), range_y = two ? range_of(y, count) : range_x;
  constexpr auto top = exponent_range<C>::top;
  const bool special = range_x.most >= top || range_y.most >= top;
  tile_copy<C> copy_x, copy_y;
  if constexpr (Set == moment_set::description) {
    if (special) add_special_marks(into.marks, op.nan, x, indices, copy_x.element);
    else merge_extremes<C>(into.marks, x, indices, mark_elements<C>(x, count));
  }
  if (special) {
    count = add_specials(op, into, x, y, count, copy_x.element, copy_y.element);
    if (count == 0) return;
    x = copy_x.element;
    y = two ? copy_y.element : x;
    range_x = range_of(x, count);
    range_y = two ? range_of(y, count) : range_x;
  }
  const value_bounds bounds_x = narrowed<T>(bounds_of(range_x)), bounds_y = narrowed<T>(bounds_of(range_y));
  if constexpr (Set == moment_set::absolute) add_magnitudes(into.x, x, count, bounds_x);
  else if constexpr (sums_elements(Set)) add_elements(into.x, x, count, bounds_x);
  if constexpr (Set == moment_set::joint) add_elements(into.y, y, count, bounds_y);
  if constexpr (sums_products(Set)) add_products<Fma, !two>(into.products, x, y, count, bounds_x, bounds_y, run);
}

/// Elements of 16 bits as floats. `F16c`: whether the processor converts f16.
template <bool F16c, class T>
MULTIFOLD_INLINE void widen(const packed<T>* x, std::int64_t count, tile_copy<float>& out) {
  constexpr int block = 32;
  constexpr simd_level level = F16c ? simd_level::avx2 : simd_level::portable;
  std::int64_t k = 0;
  for (; k + block <= count; k += block) {
    if constexpr (std::is_same_v<T, f16>) {
      widen_block<level, block>(x + k, reinterpret_cast<float*>(out.element + k));
    } else {
      for (int j = 0; j < block; ++j) out.element[k + j].value = widened(T{x[k + j].value});
    }
  }
  for (; k < count; ++k) out.element[k].value = widened(T{x[k].value});
}

/// Elements [0, count) as they are carried, in `out` if they are narrower.
template <bool Fma, class T>
MULTIFOLD_INLINE auto carried_elements(const packed<T>* x, std::int64_t count, tile_copy<carrier_of<T>>& out) {
  if constexpr (is_narrow_real<T>) {
    widen<Fma>(x, count, out);
    return static_cast<const packed<float>*>(out.element);
  } else {
    return x;
  }
}

}  // namespace detail

/// Elements of one call of gather_tile.
template <class T, moment_set Set>
inline constexpr std::int64_t longest_tile = product_run_of<T, Set>::capacity;

/// Adds a tile to the sums of its batch.
template <bool Fma, floating_storage T, moment_set Set>
MULTIFOLD_INLINE void gather_tile(const exact_moments<T, Set>& op, moment_sums<T, Set>& into, const moment_tile<T>& s) {
  constexpr bool two = reads_two_arrays(Set), only_products = Set == moment_set::squares || Set == moment_set::products;
  constexpr bool ranges_last = only_products && !is_narrow_real<T>;  // narrow elements are in L1 once they are carried
  product_run_of<T, Set> run;
  detail::tile_copy<carrier_of<T>> copy_x, copy_y;
  for (std::int64_t k = 0; k < s.indices.count; k += moment_tile_elements) {
    const std::int64_t count = std::min(moment_tile_elements, s.indices.count - k);
    const auto* const x = detail::carried_elements<Fma>(s.x + k, count, copy_x);
    const auto* const y = two ? detail::carried_elements<Fma>(s.y + k, count, copy_y) : x;
    if constexpr (ranges_last) {
      if (run.template add<Fma, !two>(x, y, count)) {
        detail::count_products(into.products, x, y, count);
        continue;
      }
    }
    detail::gather_carried<Fma>(op, into, x, y, {s.indices.at(k), s.indices.step, count}, run);
  }
  if constexpr (sums_products(Set)) run.finish(into.products);
}

}  // namespace multifold::inline v0_1::host
