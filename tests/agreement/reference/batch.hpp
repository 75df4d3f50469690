// What the elements of one batch come to in the reference: exact sums, extremes and counts.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "agreement/reference/number.hpp"
#include "agreement/reference/sums.hpp"
#include "multifold/ops.hpp"

namespace multifold::agreement {

/// Which parts of a batch an operation needs.
struct needs {
  bool sum = false, magnitudes = false, products = false, extremes = false, factors = false, bound = false;
};

/// The double that `x` is.
inline double value_of(const real& x) {
  if (x.nan) return std::nan("");
  if (x.infinite) return x.negative ? -HUGE_VAL : HUGE_VAL;
  return std::copysign(std::ldexp(static_cast<double>(x.significand), x.exponent), x.negative ? -1.0 : 1.0);
}

/// Least and greatest of the elements that are numbers, and where they come first. -0 is less than +0.
template <class Number>
struct extremes_of {
  bool any = false;
  Number least{}, greatest{};
  std::int64_t argmin = -1, argmax = -1, first_nan = -1;

  static bool less(Number a, Number b) {
    if constexpr (std::is_floating_point_v<Number>) {
      if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
  }
  void add_value(Number x) {
    if (!any || less(x, least)) least = x;
    if (!any || less(greatest, x)) greatest = x;
    any = true;
  }
  void add(Number x, std::int64_t index) {
    if (!any || less(x, least)) argmin = index;
    if (!any || less(greatest, x)) argmax = index;
    add_value(x);
  }
};

/// A product with far more bits than any result: significand * 2^exponent, cut to 256 bits after every factor.
struct long_product {
  mpz_class significand = 1;
  long exponent = 0;
  bool negative = false, zero = false, infinite = false, nan = false;

  void multiply(const mpz_class& factor, long power);
  void multiply(const real& x);
  exact_number value() const;
};

template <class Element>
struct batch {
  static constexpr bool floating = std::is_same_v<Element, real>;
  using sum_type = std::conditional_t<floating, real_sum, integer_sum_of_terms>;
  using number = std::conditional_t<floating, double, int128_t>;

  std::int64_t length = 0;  // elements, omitted ones among them
  std::int64_t count = 0;   // elements that take part
  std::int64_t nan = 0, positive_infinity = 0, negative_infinity = 0, zero = 0;
  sum_type x, y, products;
  real_sum bound;  // of magnitudes, for bounds of rounded sums
  extremes_of<number> ends;
  long_product factors;

  /// `b` is the element of the second array, or `a` again; `index` is that of the batch.
  void add(const needs& n, nan_policy policy, const Element& a, const Element& b, std::int64_t index) {
    ++length;
    if constexpr (floating) {
      nan += a.nan;
      positive_infinity += a.infinite && !a.negative;
      negative_infinity += a.infinite && a.negative;
      zero += a.finite() && a.significand == 0;
      if (a.nan && ends.first_nan < 0) ends.first_nan = index;
      if (policy == nan_policy::omit && (a.nan || b.nan)) return;
    } else {
      zero += a == 0;
    }
    ++count;
    if (n.sum) x.add(a), y.add(b);
    if (n.products) products.add_product(a, b);
    if constexpr (floating) {
      if (n.magnitudes) x.add_magnitude(a);
      if (n.bound) bound.add_magnitude(a);
      if (n.extremes && !a.nan) ends.add(value_of(a), index);
      if (n.factors) factors.multiply(a);
    } else {
      if (n.magnitudes) x.add(a < 0 ? -a : a);
      if (n.extremes) ends.add(a, index);
      if (n.factors) factors.multiply(integer_of(a), 0);
    }
  }
  void clear() {
    if constexpr (floating) {  // the buckets of a sum are many, and stay
      x.clear(), y.clear(), products.clear(), bound.clear();
    } else {
      x = {}, y = {}, products = {};
    }
    length = count = nan = positive_infinity = negative_infinity = zero = 0;
    ends = {};
    factors = {};
  }
};

}  // namespace multifold::agreement
