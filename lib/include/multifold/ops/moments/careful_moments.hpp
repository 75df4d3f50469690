// Moments of a few elements of which few_moments are not sure. Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/near/near_windows.hpp"
#include "multifold/exact/short_sum.hpp"
#include "multifold/ops/moments/few_sums.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::detail {

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
