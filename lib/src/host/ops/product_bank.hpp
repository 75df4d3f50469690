// Lanes of products of floating point: factors from 1 to 2 into pairs of doubles, their exponents into integers
// beside, so that nothing overflows however long a lane is. Elements that are zero, subnormal, infinite or NaN are
// taken out.
#pragma once

#include <cmath>

#include "host/kernels/bank.hpp"

namespace multifold::inline v0_1::host {

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

}  // namespace multifold::inline v0_1::host

template <multifold::floating_storage T>
struct multifold::lane_of<multifold::host::fused_product<T>> : multifold::lane_of<multifold::float_product<T>> {};

namespace multifold::inline v0_1::host {

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

/// What a floating-point format is made of, as integers of its width.
template <class Real>
struct fields_of {
  using bits = bits_of<sizeof(Real)>;
  static constexpr int mantissa_bits = sizeof(Real) == 8 ? 52 : 23;
  static constexpr bits greatest = sizeof(Real) == 8 ? 0x7ff : 0xff;  // infinite, or NaN
  static constexpr int bias = greatest / 2;

  MULTIFOLD_INLINE static bits exponent(Real x) {
    return static_cast<bits>(std::bit_cast<bits>(x) >> mantissa_bits) & greatest;
  }
  MULTIFOLD_INLINE static std::int32_t power(Real x) { return static_cast<std::int32_t>(exponent(x)) - bias; }
  /// With the exponent of 1.
  MULTIFOLD_INLINE static Real factor(Real x) {
    return std::bit_cast<Real>((std::bit_cast<bits>(x) & ~(greatest << mantissa_bits)) | (bits{bias} << mantissa_bits));
  }
  /// 1 for 0, subnormal numbers, infinities and NaN: bits, which vectorise where a bool does not.
  MULTIFOLD_INLINE static bits is_special(Real x) { return exponent(x) - 1 >= greatest - 1 ? 1 : 0; }
};

template <class T, int N, bool Fma>
struct product_bank {
  using op_type = float_product<T>;
  using accumulator = scaled_product;
  static constexpr std::int64_t capacity = lane_run;

  /// With u = 2^-53, and the low part at most u of the high one after it is settled, a multiplication is off by (2 k +
  /// 1) u^2 of the product, k turns later: by less than 2^-102 of it on the average.
  static constexpr std::int64_t turns_unsettled = 8;

  double high[N], low[N];
  double special[N];  // product of the zeros, infinities and NaNs, or 1
  std::int32_t exponent[N];

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) high[j] = 1.0;
    for (int j = 0; j < n; ++j) low[j] = 0.0;
    for (int j = 0; j < n; ++j) special[j] = 1.0;
    for (int j = 0; j < n; ++j) exponent[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const op_type& op, const packed<T>* x, int first, int last, std::int64_t turn) {
    real factors[N];
    for_each_widened<N>(x, first, last, [&](int j, auto element) { factors[j] = element; });
    split(op, factors, first, last);
    for (int j = first; j < last; ++j) multiply(j, factors[j]);
    settle_in_time(turn, first, last);
  }
  /// Several turns at once: one look for special elements, one settling. Two elements of at most 32 bits are a turn,
  /// since their product is exact in double.
  static constexpr int together = sizeof(T) <= 4 ? 2 : 1, block = 4 * together * N;
  MULTIFOLD_INLINE void absorb_block(const op_type& op, const packed<T>* x) {
    real factors[block];
    for_each_widened<block>(x, 0, block, [&](int i, auto element) { factors[i] = element; });
    if (any_special(factors, 0, block)) {
      for (int i = 0; i < block; i += N) take_out(op, factors + i, 0, N);
    }
    for (int i = 0; i < block; i += together * N) {
      for (int j = 0; j < N; ++j) {
        exponent[j] += fields::power(factors[i + j]);
        double factor = fields::factor(factors[i + j]);
        if constexpr (together == 2) {
          exponent[j] += fields::power(factors[i + N + j]);
          factor *= fields::factor(factors[i + N + j]);
        }
        multiply(j, factor);
      }
    }
    settle(0, N);
  }
  MULTIFOLD_INLINE void absorb_some(const op_type& op, const packed<T>* x, int n) {
    real factors[N];
    for_each_widened<N>(x, 0, N, [&](int j, auto element) { factors[j] = blend(j < n, element, real{1}); });
    split(op, factors, 0, N);
    for (int j = 0; j < N; ++j) multiply(j, factors[j]);
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    return special[j] == 1.0 ? multifold::detail::settled(high[j], low[j], exponent[j])
                             : accumulator{std::copysign(1.0, high[j]) * special[j], 0.0, 0};
  }
  MULTIFOLD_INLINE accumulator fold(const op_type& op) {
    tighten(N);
    halve<N / 2>();
    return take(op, 0, 0, 0);
  }

 private:
  using real = std::conditional_t<sizeof(T) == 8, double, float>;
  using fields = fields_of<real>;

  MULTIFOLD_INLINE static bool any_special(const real* x, int first, int last) {
    typename fields::bits ones = 0;
    for (int j = first; j < last; ++j) ones |= fields::is_special(x[j]);
    return ones != 0;
  }
  // Elements to factors from 1 to 2, their exponents to their lanes.
  MULTIFOLD_INLINE void split(const op_type& op, real* x, int first, int last) {
    if (any_special(x, first, last)) take_out(op, x, first, last);
    for (int j = first; j < last; ++j) exponent[j] += fields::power(x[j]);
    for (int j = first; j < last; ++j) x[j] = fields::factor(x[j]);
  }
  // Zeros, infinities and NaN become 1, and subnormal numbers normal.
  MULTIFOLD_INLINE void take_out(const op_type& op, real* x, int first, int last) {
    constexpr real up = sizeof(T) == 8 ? real{0x1p64} : real{0x1p32};
    for (int j = first; j < last; ++j) {
      const real number = blend(x[j] == x[j], x[j], static_cast<real>(op.nan_value));
      const bool tiny = fields::exponent(number) == 0;
      const real normal = number * blend(tiny, up, real{1});
      const bool odd = fields::is_special(normal) != 0;
      special[j] *= static_cast<double>(blend(odd, number, real{1}));
      exponent[j] -= blend(tiny & !odd, sizeof(T) == 8 ? 64 : 32, 0);
      x[j] = blend(odd, real{1}, normal);
    }
  }
  MULTIFOLD_INLINE void multiply(int j, double factor) {
    const double product = high[j] * factor;
    low[j] = low[j] * factor + product_error<Fma>(high[j], factor, product);
    high[j] = product;
  }
  MULTIFOLD_INLINE void settle_in_time(std::int64_t turn, int first, int last) {
    if (turn % turns_unsettled == turns_unsettled - 1) settle(first, last);
  }
  // The low part within u of the high one again, and that from 1 to 2.
  MULTIFOLD_INLINE void settle(int first, int last) {
    using wide = fields_of<double>;
    for (int j = first; j < last; ++j) {
      const double sum = high[j] + low[j], rest = low[j] - (sum - high[j]);
      const std::int32_t power = wide::power(sum);
      high[j] = wide::factor(sum);
      low[j] = rest * std::bit_cast<double>(static_cast<std::uint64_t>(wide::bias - power) << wide::mantissa_bits);
      exponent[j] += power;
    }
  }

  MULTIFOLD_INLINE void tighten(int n) {
    for (int j = 0; j < n; ++j) {
      const double sum = high[j] + low[j];
      low[j] -= sum - high[j];
      high[j] = sum;
    }
  }
  // Of at most 32 lanes below 2^20: their product is a double.
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) {
      const double product = high[j] * high[j + Width];
      const double error = product_error<Fma>(high[j], high[j + Width], product);
      low[j] = (low[j] * high[j + Width] + error) + high[j] * low[j + Width];
      high[j] = product;
      exponent[j] += exponent[j + Width];
      special[j] *= special[j + Width];
    }
    tighten(Width);
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

template <class T, int N>
struct bank<float_product<T>, N> : product_bank<T, N, false> {};
template <class T, int N>
struct bank<fused_product<T>, N> : product_bank<T, N, true> {};

}  // namespace multifold::inline v0_1::host
