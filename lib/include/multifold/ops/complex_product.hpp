// Products of complex numbers that neither overflow nor underflow on the way: both parts in two doubles, times a power
// of two of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {

/// (re + i im) 2^exponent.
/// Numerics: a product of n numbers is off by n 2^-100 of its magnitude at most, in either part. A factor of two pairs
///           is four products, of which what two doubles do not hold is 2^-104 of them, and two sums, 2^-104 of the
///           same: 2^-101.5 of the magnitude with all that is left out. Parts that are not finite come as from
///           (a + i b) (c + i d) = (a c - b d) + i (a d + b c), without a rule for infinities.
struct complex_product {
  exact_pair re{1.0, 0.0}, im{0.0, 0.0};
  std::int64_t exponent = 0;

  static complex_product of(double re, double im) {
    complex_product one;
    one.re = {re, 0.0};
    one.im = {im, 0.0};
    one.scale();
    return one;
  }

  void multiply(const complex_product& other) {
    const exact_pair a = re, b = im;
    re = sum(product(a, other.re), negated(product(b, other.im)));
    im = sum(product(a, other.im), product(b, other.re));
    exponent += other.exponent;
    scale();
  }

  template <floating_storage T>
  std::complex<T> rounded() const {
    return {part<T>(re), part<T>(im)};
  }

 private:
  static exact_pair product(const exact_pair& x, const exact_pair& y) {
    const double high = detail::plain_product(x.high, y.high), low = detail::fused(x.high, y.high, -high);
    return {high, low + (x.high * y.low + x.low * y.high)};
  }
  static exact_pair negated(const exact_pair& x) { return {-x.high, -x.low}; }
  static exact_pair sum(const exact_pair& x, const exact_pair& y) {
    const detail::two_sum high = detail::add_exactly(x.high, y.high);
    return tight({high.sum, high.error + (x.low + y.low)});
  }
  static exact_pair tight(const exact_pair& x) { return std::isfinite(x.high) ? detail::tightened(x) : x; }

  // The greater part comes to lie about 1, so that nothing of two products is out of range. What a smaller part loses
  // below 2^-1074 is nothing to it.
  void scale() {
    const double size = std::max(std::fabs(re.high), std::fabs(im.high));
    if (!(size > 0 && size < HUGE_VAL)) return;
    const int up = -std::ilogb(size);
    const auto scaled = [&](double x) { return std::ldexp(x, up); };
    re = {scaled(re.high), scaled(re.low)};
    im = {scaled(im.high), scaled(im.low)};
    exponent -= up;
  }

  template <floating_storage T>
  T part(const exact_pair& x) const {
    if (!std::isfinite(x.high) || (x.high == 0 && x.low == 0)) return detail::nearest<T>(x.high);
    constexpr std::int64_t most = 5000;  // beyond any format
    exact_value value = value_of(x);
    value.exponent += static_cast<int>(std::clamp(exponent, -most, most));
    return round_to<T>(value);
  }
};

/// The product of complex numbers of parts T as an operation for fold, over an array of real and one of imaginary
/// parts; rounded to Result once.
template <class T, class Result = T>
struct complex_product_fold {
  using value_type = element_pair<T>;
  using accumulator = complex_product;
  static constexpr bool uses_index = false;

  complex_product identity() const { return {}; }
  complex_product lift(const element_pair<T>& z, std::int64_t) const {
    return complex_product::of(to_double(z.x), to_double(z.y));
  }
  complex_product combine(complex_product a, const complex_product& b) const {
    a.multiply(b);
    return a;
  }
  std::complex<Result> lower(const complex_product& product, std::int64_t) const {
    return product.template rounded<Result>();
  }
};

}  // namespace multifold::inline v0_1
