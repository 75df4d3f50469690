// Lanes of products of floating point: what float_product does, for many lanes side by side, and with elements that are
// zero, infinite, NaN or far from 1 taken out of the vectors' way.
#pragma once

#include <cmath>

#include "host/bank.hpp"

namespace multifold::host {

/// A product whose kernels have fused multiply-adds; others split factors, and find the same error of a product.
template <floating_storage T>
struct fused_product : float_product<T> {};

template <class Op>
MULTIFOLD_INLINE const Op& with_fma(const Op& op) {
  return op;
}
template <class T>
MULTIFOLD_INLINE fused_product<T> with_fma(const float_product<T>& op) {
  return {op};
}

}  // namespace multifold::host

template <multifold::floating_storage T>
struct multifold::lane_of<multifold::host::fused_product<T>> : multifold::lane_of<multifold::float_product<T>> {};

namespace multifold::host {

/// x y - p, for p the rounded product: by fma, or by Dekker's and Veltkamp's splitting.
template <bool Fma>
MULTIFOLD_INLINE double product_error(double x, double y, double p) {
  if constexpr (Fma) {
    return __builtin_fma(x, y, -p);
  } else {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double a = splitter * x, b = splitter * y;
    const double x_high = a - (a - x), y_high = b - (b - y);
    const double x_low = x - x_high, y_low = y - y_high;
    return ((x_high * y_high - p) + x_high * y_low + x_low * y_high) + x_low * y_low;
  }
}

// 1 if x is not moderate: in bits, which vectorise.
MULTIFOLD_INLINE std::uint64_t is_far(double x) {
  constexpr std::uint64_t least = std::uint64_t{1023 - multifold::detail::moderate_exponent} << 52;
  constexpr std::uint64_t range = (std::uint64_t{2 * multifold::detail::moderate_exponent + 1} << 52) - 1;
  const std::uint64_t above = (std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63)) - least;
  return above > range ? 1 : 0;
}

template <class T, int N, bool Fma>
struct product_bank {
  using op_type = float_product<T>;
  using accumulator = scaled_product;
  static constexpr std::int64_t capacity = lane_run;

  double high[N], low[N];
  double special[N];  // product of the zeros, infinities and NaNs, or 1
  std::int64_t exponent[N];

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) high[j] = 1.0;
    for (int j = 0; j < n; ++j) low[j] = 0.0;
    for (int j = 0; j < n; ++j) special[j] = 1.0;
    for (int j = 0; j < n; ++j) exponent[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const op_type& op, const packed<T>* x, int first, int last, std::int64_t) {
    double factors[N];
    for_each_widened<N>(x, first, last, [&](int j, auto element) { factors[j] = to_double(element); });
    multiply(op, factors, first, last);
  }
  /// 2 N elements, N apart from each other in one lane: products of two are exact in binary64, and cost one
  /// multiplication in place of ten operations.
  MULTIFOLD_INLINE void absorb_two(const op_type& op, const packed<T>* x) requires(sizeof(T) <= 4) {
    double factors[N], others[N];
    for_each_widened<N>(x, 0, N, [&](int j, auto element) { factors[j] = to_double(element); });
    for_each_widened<N>(x + N, 0, N, [&](int j, auto element) { others[j] = to_double(element); });
    if (op.nan_value == op.nan_value) {  // NaN is omitted, one by one
      multiply(op, others, 0, N);
    } else {
      for (int j = 0; j < N; ++j) factors[j] *= others[j];
    }
    multiply(op, factors, 0, N);
  }
  MULTIFOLD_INLINE void absorb_some(const op_type& op, const packed<T>* x, int n) {
    double factors[N];
    for_each_widened<N>(x, 0, N, [&](int j, auto element) { factors[j] = blend(j < n, to_double(element), 1.0); });
    multiply(op, factors, 0, N);
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    return special[j] == 1.0 ? accumulator{high[j], low[j], exponent[j]}
                             : accumulator{std::copysign(1.0, high[j]) * special[j], 0.0, 0};
  }
  MULTIFOLD_INLINE accumulator fold(const op_type& op) {
    halve<N / 2>();
    return take(op, 0, 0, 0);
  }

 private:
  // Lanes [first, last) times what `factors` has for them.
  MULTIFOLD_INLINE void multiply(const op_type& op, double* factors, int first, int last) {
    double product[N];
    std::uint64_t far = 0;
    for (int j = first; j < last; ++j) {
      product[j] = high[j] * factors[j];
      far |= is_far(product[j]) | (sizeof(T) == 8 ? is_far(factors[j]) : 0);
    }
    if (far != 0) {
      clean(op, factors, first, last);
      for (int j = first; j < last; ++j) product[j] = high[j] * factors[j];
    }
    for (int j = first; j < last; ++j) {
      const double error = product_error<Fma>(high[j], factors[j], product[j]);
      settle(j, product[j], low[j] * factors[j] + error);
    }
    if (far != 0) rescale(first, last);
  }

  MULTIFOLD_INLINE void settle(int j, double product, double rest) {
    const double sum = product + rest;
    low[j] = rest - (sum - product);
    high[j] = sum;
  }

  [[gnu::noinline]] void clean(const op_type& op, double* factors, int first, int last) {
    for (int j = first; j < last; ++j) {
      if (is_far(factors[j]) == 0) continue;
      const double x = factors[j] != factors[j] ? op.nan_value : factors[j];
      const multifold::detail::factor f = multifold::detail::factor_of(x);
      if (multifold::detail::is_special(f.x)) {
        special[j] *= f.x;
        factors[j] = 1.0;
      } else {
        factors[j] = f.x;
        exponent[j] += f.exponent;
      }
    }
  }
  [[gnu::noinline]] void rescale(int first, int last) {
    for (int j = first; j < last; ++j) {
      if (is_far(high[j]) == 0) continue;
      const scaled_product r = multifold::detail::rescaled({high[j], low[j], exponent[j]});
      high[j] = r.high;
      low[j] = r.low;
      exponent[j] = r.exponent;
    }
  }

  template <int Width>
  MULTIFOLD_INLINE void halve() {
    std::uint64_t far = 0;
    for (int j = 0; j < Width; ++j) {
      const double product = high[j] * high[j + Width];
      const double error = product_error<Fma>(high[j], high[j + Width], product);
      const double rest = (low[j] * high[j + Width] + error) + high[j] * low[j + Width];
      settle(j, product, rest);
      exponent[j] += exponent[j + Width];
      special[j] *= special[j + Width];
      far |= is_far(high[j]);
    }
    if (far != 0) rescale(0, Width);
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

template <class T, int N>
struct bank<float_product<T>, N> : product_bank<T, N, false> {};
template <class T, int N>
struct bank<fused_product<T>, N> : product_bank<T, N, true> {};

}  // namespace multifold::host
