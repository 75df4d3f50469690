// Moments of a few elements, in one pass over them and without a look at exponents: in doubles from which a narrow
// result is certain, or in near values. Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/near/close.hpp"
#include "multifold/exact/near/near_windows.hpp"
#include "multifold/exact/short_sum.hpp"
#include "multifold/exact/windows.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::detail {

/// As many as they may be.
inline constexpr int most_few = 16;

/// A plain sum, and whether it is exact: not of numbers that are not finite.
struct checked_sum {
  double sum = -0.0, rest = 0.0;

  MULTIFOLD_HD void add(double x) {
    const two_sum s = add_exactly(sum, x);
    sum = s.sum;
    rest = plain_sum(rest, std::fabs(s.error));
  }
  MULTIFOLD_HD bool exact() const { return rest == 0; }
  /// What it is off by at most, and by what its own rounding is.
  MULTIFOLD_HD double error() const { return rest * (1 + 0x1p-40) + 0x1p-50 * std::fabs(sum); }
};

/// The least magnitude of numbers of 2 bytes that are not 0: all of them are multiples of its unit.
template <floating_storage T>
struct least_magnitude {
  std::uint32_t less_one = 0xffffffffu;

  MULTIFOLD_HD void see(T x) {
    const std::uint32_t below = (bit_copy<std::uint16_t>(x) & 0x7fffu) - 1u;
    less_one = below < less_one ? below : less_one;
  }
  MULTIFOLD_HD double unit() const {
    using layout = float_layout<T>;
    const auto exponent = static_cast<int>((less_one + 1u) >> layout::mantissa_bits);
    constexpr int bias = (1 << (14 - layout::mantissa_bits)) - 1;
    return power_of_two((exponent > 1 ? exponent : 1) - bias - layout::mantissa_bits);
  }
};

/// A sum of elements, or of their magnitudes, and whether it is exact: of 2 bytes as exponents tell, which are 16 numbers
/// at most.
template <floating_storage T>
struct few_sum {
  checked_sum all;

  MULTIFOLD_HD void add(T x) { all.add(to_double(x)); }
  MULTIFOLD_HD void add_magnitude(T x) { all.add(std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return all.sum; }
  MULTIFOLD_HD bool exact() const { return all.exact(); }
  MULTIFOLD_HD double error() const { return all.error(); }
};
template <>
struct few_sum<f16> {
  double sum = -0.0;

  MULTIFOLD_HD void add(f16 x) { sum = plain_sum(sum, to_double(x)); }
  MULTIFOLD_HD void add_magnitude(f16 x) { sum = plain_sum(sum, std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return sum; }
  MULTIFOLD_HD bool exact() const { return plain_difference(sum, sum) == 0; }
  MULTIFOLD_HD double error() const { return HUGE_VAL; }
};
template <>
struct few_sum<bf16> {
  double sum = -0.0;
  magnitude_scan<bf16> scan;

  MULTIFOLD_HD void add(bf16 x) { add_to(x, to_double(x)); }
  MULTIFOLD_HD void add_magnitude(bf16 x) { add_to(x, std::fabs(to_double(x))); }
  MULTIFOLD_HD double value() const { return sum; }
  MULTIFOLD_HD bool exact() const { return exponent_range<bf16>(scan).fits(log_of_count(most_few)); }
  /// Of 15 additions below 2^(top + 4) each.
  MULTIFOLD_HD double error() const { return power_of_two(exponent_range<bf16>(scan).top() + 8 - 53); }

 private:
  MULTIFOLD_HD void add_to(bf16 x, double value) {
    sum = plain_sum(sum, value);
    scan.see(to_float(x));
  }
};

/// A sum of products in two doubles, and the sum of their magnitudes: within 2^-96 of that.
struct few_products {
  double high = -0.0, low = 0.0;

  template <floating_storage T>
  MULTIFOLD_HD void add(T x, T y) {
    const double a = to_double(x), b = to_double(y), p = plain_product(a, b);
    const two_sum s = add_exactly(high, p);
    high = s.sum;
    if constexpr (sizeof(T) == 8) low = plain_sum(low, plain_sum(s.error, fused(a, b, -p)));
    else low = plain_sum(low, s.error);
  }
  MULTIFOLD_HD near_value near(double size) const {
    const two_sum tight = add_exactly(high, low);
    return {tight.sum, tight.error, 0x1p-96 * size};
  }
};

/// Sums of a set as near values, or unknown. Products, or sums without products, are 2^-up of what they stand for.
struct few_totals {
  near_value x{}, y{}, products{};
  int up = 0;
};

/// What is gathered of a few elements of T: narrow ones, whose result is one of T.
template <floating_storage T, moment_set Set>
struct few_moments;

template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::absolute> {
  few_sum<T> x;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T) { x.add_magnitude(u); }
  MULTIFOLD_HD bool round(int, double, bool, T& out) const {
    if (!x.exact()) return round_if_within(x.value(), x.error(), out);
    out = nearest<T>(x.value());
    return true;
  }
};

/// Products are doubles, and their sum is off by 15 u of it. Those of 2 bytes are exact if it is below 2^53 units, and are
/// ties often then.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::squares> {
  static constexpr bool halves = sizeof(T) == 2;
  double products = 0.0;
  std::conditional_t<halves, least_magnitude<T>, nothing<0>> least;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T) {
    const double x = to_double(u);
    products = fused(x, x, products);
    if constexpr (halves) least.see(u);
  }
  MULTIFOLD_HD bool round(int, double, bool has_root, T& out) const {
    if (has_root) return round_root_if_close(products, out);
    if (round_if_close(products, out)) return true;
    if constexpr (halves) {
      const double unit = least.unit();
      if (!(products < 0x1p53 * unit * unit)) return false;
      out = nearest<T>(products);
      return true;
    }
    return false;
  }
};

template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::products> {
  static constexpr bool halves = sizeof(T) == 2;
  double products = -0.0, size = 0.0;
  std::conditional_t<halves, least_magnitude<T>, nothing<0>> least_x, least_y;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double p = plain_product(to_double(u), to_double(v));
    products = plain_sum(products, p);
    size = plain_sum(size, std::fabs(p));
    if constexpr (halves) least_x.see(u), least_y.see(v);
  }
  MULTIFOLD_HD bool round(int, double, bool, T& out) const {
    bool exact = size == 0;  // with its sign
    if constexpr (halves) exact = exact || size < 0x1p53 * least_x.unit() * least_y.unit();
    if (!exact) return round_if_within(products, 0x1p-48 * size, out);
    out = nearest<T>(products);
    return true;
  }
};

/// Of differences to the first element, each within u of itself. With n of them, n S - T^2 is n^2 times the variance,
/// and at least S: the square of an element's distance from the mean is at most n - 1 variances. So it is off by at
/// most (3 n + 5) u n S, which is less than 2^-42 of it.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::spread> {
  double first, x = 0.0, products = 0.0;

  MULTIFOLD_HD few_moments(T u, T) : first(to_double(u)) {}
  MULTIFOLD_HD void add(T u, T) {
    const double d = plain_difference(to_double(u), first);
    x = plain_sum(x, d);
    products = fused(d, d, products);
  }
  MULTIFOLD_HD bool round(int count, double reciprocal, bool has_root, T& out) const {
    const double v = fused(-x, x, static_cast<double>(count) * products) * reciprocal;
    if (reciprocal == 0) return false;
    return has_root ? round_root_if_close(v, out) : round_if_close(v, out);
  }
};

/// Likewise, but for cancellation.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::joint> {
  double first_x, first_y, x = 0.0, y = 0.0, size_x = 0.0, size_y = 0.0, products = 0.0, size = 0.0;

  MULTIFOLD_HD few_moments(T u, T v) : first_x(to_double(u)), first_y(to_double(v)) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double a = plain_difference(to_double(u), first_x), b = plain_difference(to_double(v), first_y);
    const double p = plain_product(a, b);
    x = plain_sum(x, a);
    y = plain_sum(y, b);
    size_x = plain_sum(size_x, std::fabs(a));
    size_y = plain_sum(size_y, std::fabs(b));
    products = plain_sum(products, p);
    size = plain_sum(size, std::fabs(p));
  }
  MULTIFOLD_HD bool round(int count, double reciprocal, bool, T& out) const {
    const auto n = static_cast<double>(count);
    const double v = fused(-x, y, n * products) * reciprocal, all = fused(size_x, size_y, n * size) * reciprocal;
    if (reciprocal == 0) return false;
    if (all == 0) {
      out = nearest<T>(0.0);
      return true;
    }
    return round_if_within(v, 0x1p-46 * all, out);
  }
};

/// What is rounded of a description.
template <floating_storage T>
struct statistics_of {
  T sum, mean, std, norm2;
  bool sums_are_certain = false;  // all of it but std
};

/// What is gathered for that of narrow numbers, each of it as above.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_statistics {
  few_sum<T> x;
  few_moments<T, moment_set::squares> squares;
  few_moments<T, moment_set::spread> spread;

  MULTIFOLD_HD explicit few_statistics(T u) : squares(u, u), spread(u, u) {}
  MULTIFOLD_HD void add(T u) {
    x.add(u);
    squares.add(u, u);
    spread.add(u, u);
  }
  /// Returns whether all of it is certain. `reciprocal` is that of the count, rounded, `of_divisor` that of count (count -
  /// correction).
  MULTIFOLD_HD bool round(int count, double reciprocal, double of_divisor, statistics_of<T>& out) const {
    if (x.exact()) {
      out.sum = nearest<T>(x.value());
      out.mean = nearest<T>(odd_fraction(x.value(), static_cast<double>(count), reciprocal));
    } else {
      const double off = x.error(), near = x.value() * reciprocal;
      if (!round_if_within(x.value(), off, out.sum) || !round_if_within(near, 2 * off * reciprocal, out.mean))
        return false;
    }
    out.sums_are_certain = squares.round(count, of_divisor, true, out.norm2);
    return out.sums_are_certain && spread.round(count, of_divisor, true, out.std);
  }
};

/// Those of doubles: near values.
template <floating_storage T, moment_set Set>
requires(sizeof(T) == 8) struct few_moments<T, Set> {
  static constexpr bool sums = sums_elements(Set), multiplies = sums_products(Set), joint = Set == moment_set::joint;
  // Sums that are rounded are ties one time in a few.
  static constexpr bool rounds_sum = Set == moment_set::absolute || Set == moment_set::description;
  short_sum x{-0.0, 0.0, 0.0}, y{-0.0, 0.0, 0.0};  // or their magnitudes in `rest`
  few_products products;
  static constexpr bool sees_zeros = Set == moment_set::squares || Set == moment_set::description;
  double size = 0.0;  // of products of two arrays; of one, of the elements

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double a = to_double(u), b = to_double(v);
    if constexpr (sums) add_element(x, Set == moment_set::absolute ? std::fabs(a) : a);
    if constexpr (joint) add_element(y, b);
    if constexpr (multiplies) products.add(u, v);
    if constexpr (reads_two_arrays(Set)) size = plain_sum(size, std::fabs(plain_product(a, b)));
    else if constexpr (sees_zeros) size = plain_sum(size, std::fabs(a));
  }
  /// Returns false where they are unknown: of products that are zeros or too small for it, if not all elements are 0.
  MULTIFOLD_HD bool totals(few_totals& of) const {
    if constexpr (sums) of.x = near_of_elements(x);
    if constexpr (joint) of.y = near_of_elements(y);
    if constexpr (multiplies) {
      const double all = reads_two_arrays(Set) ? size : products.high;
      of.products = products.near(all);
      if (all > 0x1p-700) return all < 0x1p1000;
      return !reads_two_arrays(Set) && all == 0 && (Set == moment_set::spread ? x.rest : size) == 0;
    } else {
      return x.rest == x.rest;
    }
  }

 private:
  MULTIFOLD_HD static void add_element(short_sum& sum, double x) {
    if constexpr (rounds_sum) {
      sum.add(x);
    } else {
      const two_sum s = add_exactly(sum.high, x);
      sum.high = s.sum;
      sum.low = plain_sum(sum.low, s.error);
      sum.rest = plain_sum(sum.rest, std::fabs(x));
    }
  }
  MULTIFOLD_HD static near_value near_of_elements(const short_sum& sum) {
    const two_sum tight = add_exactly(sum.high, sum.low);
    return {tight.sum, tight.error, (rounds_sum ? 2.0 : 0x1p-96) * sum.rest};
  }
};

/// Any of them, exact if three doubles are enough for that, or else known within what those leave: where nothing else
/// was sure.
template <floating_storage T, moment_set Set>
struct careful_moments {
  static constexpr bool wide = sizeof(T) == 8;
  short_sum x{-0.0, 0.0, 0.0}, y{-0.0, 0.0, 0.0}, products{-0.0, 0.0, 0.0};
  int up = 0;
  double x_unit = 1.0, y_unit = 1.0, underflow = 0.0;  // the error of what underflows in products
  bool far = false, small = false;                     // of products

  careful_moments() = default;
  /// Of doubles below 2^x_top and 2^y_top: they are taken times a power of two if they are far from 1. Where
  /// there are two arrays, `of_products` is a look at their products.
  MULTIFOLD_HD careful_moments(int x_top, int y_top, const product_scan& of_products) requires wide {
    const int x_up = near_exponent(x_top), y_up = reads_two_arrays(Set) ? near_exponent(y_top) : x_up;
    x_unit = power_of_two(-x_up);
    y_unit = power_of_two(-y_up);
    up = sums_products(Set) ? x_up + y_up : x_up;
    if constexpr (reads_two_arrays(Set)) {
      if (of_products.none()) return;
      const int product_top = of_products.top();
      far = up != 0 || x_up != 0 || product_top < least_near_product;
      if (far && Set == moment_set::products) up = product_top;
      small = far && Set == moment_set::joint && is_small_product(product_top - up);
    }
    if (far || up != 0) underflow = underflow_error;
  }

  MULTIFOLD_HD void add(T u, T v) {
    double a = to_double(u), b = to_double(v);
    const double first = a, second = b;
    if constexpr (wide) a = plain_product(a, x_unit), b = plain_product(b, y_unit);
    if constexpr (sums_elements(Set)) x.add(Set == moment_set::absolute ? std::fabs(a) : a);
    if constexpr (Set == moment_set::joint) y.add(b);
    if constexpr (sums_products(Set)) {
      if constexpr (wide && reads_two_arrays(Set)) {
        if (far) {
          const near_factors near = factors_near(first, second, up);
          a = near.x, b = near.y;
        }
      }
      const double p = plain_product(a, b);
      products.add(p);
      if constexpr (wide) {
        const double error = fused(a, b, -p);
        products.add(error == 0 ? -0.0 : error);  // which leaves the sign of a zero
        if (!(std::fabs(p) > 0x1p-900) && a != 0 && b != 0) underflow = underflow_error;
      }
    }
  }
  MULTIFOLD_HD bool totals(few_totals& of) const {
    const auto off = [](double unit) { return unit == 1 ? 0.0 : underflow_error; };
    of = {near_of(x, off(x_unit)), near_of(y, off(y_unit)), small ? small_products() : near_of(products, underflow),
          up};
    const double rest = plain_sum(plain_sum(x.rest, y.rest), products.rest);
    return rest == rest;
  }
  /// Whether all products are -0.
  MULTIFOLD_HD bool minus_products() const {
    return products.low == 0 && bit_copy<std::uint64_t>(products.high) == std::uint64_t{1} << 63;
  }

 private:
  MULTIFOLD_HD static near_value near_of(const short_sum& sum, double off) {
    const two_sum tight = add_exactly(sum.high, sum.low);
    return {tight.sum, tight.error, 2 * sum.rest + off};
  }
};

}  // namespace multifold::inline v0_1::detail
