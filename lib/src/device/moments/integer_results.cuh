// Results of integers whose totals binary64 holds: a root or a quotient of such numbers is rounded by one operation of
// IEEE 754, and the root of a quotient by a few more.
#pragma once

#include "device/moments/totals.cuh"

namespace multifold::cuda::moments {

/// Whether an integer is below 2^53 in magnitude, and which binary64 it is then: what is not is not rounded below that.
__device__ inline bool to_binary64(std::int64_t v, double& out) {
  out = static_cast<double>(v);
  return fabs(out) < 0x1p53;
}
__device__ inline bool to_binary64(int128_t v, double& out) {
  const auto low = static_cast<std::int64_t>(v);
  return to_binary64(low, out) && v == low;
}
__device__ inline bool to_binary64(const product_total& v, double& out) {
  const auto low = static_cast<std::int64_t>(v.low);
  return to_binary64(low, out) && v.high == (low >> 63);
}

/// A covariance as a quotient of integers.
struct integer_fraction {
  double numerator, divisor;

  /// Whether this is (n products - x y) / (n (n - correction)). Both products are integers: one that is beyond 2^52 is
  /// not rounded to 2^52, so they are exact where they are not beyond it, and their difference is. The divisor is below
  /// 2^26 2^27.
  __device__ bool set(double x, double y, double products, std::int64_t n, std::int64_t correction) {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (n > most || correction >= n || correction <= -most) return false;
    const auto count = static_cast<double>(n);
    const double a = count * products, b = x * y;
    numerator = a - b;
    divisor = count * static_cast<double>(n - correction);
    return fabs(a) <= 0x1p52 && fabs(b) <= 0x1p52;
  }
  __device__ double value() const { return __ddiv_rn(numerator, divisor); }
  /// The root, if its rounding is certain. `reciprocal` is that of the divisor, rounded, or 0.
  __device__ bool root(double reciprocal, double& out) const {
    out = 0.0;
    if (numerator == 0) return true;
    if (reciprocal == 0) reciprocal = 1 / divisor;
    const auto quotient = multifold::detail::near_fraction({numerator, 0.0}, divisor, reciprocal);
    return multifold::detail::round_if_certain(multifold::detail::near_root(quotient), out);
  }
};

}  // namespace multifold::cuda::moments
