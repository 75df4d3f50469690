// Results straight from a lane's expansions, where some tens of operations in pairs of binary64 are certain of the
// rounding: what makes short rows and columns fast. Whoever is not certain says so, and the words decide.
#pragma once

#include "device/exact/output.cuh"
#include "device/moments/finish.cuh"
#include "device/moments/gather.cuh"

namespace multifold::cuda::moments {

/// A real number within `error` of high + low.
struct near_value {
  double high, low, error;
};

/// An expansion that is not lost.
template <int Parts>
__device__ near_value near_of(const expansion<Parts>& sum) {
  double part[Parts];
#pragma unroll
  for (int i = 0; i < Parts; ++i) part[i] = sum.part[i];
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
#pragma unroll
    for (int i = Parts - 2; i >= 0; --i) {
      const multifold::detail::two_sum s = multifold::detail::add_exactly(part[i], part[i + 1]);
      part[i] = s.sum;
      part[i + 1] = s.error;
    }
  }
  near_value v{part[0], part[1], 0};
#pragma unroll
  for (int i = 2; i < Parts; ++i) v.error += fabs(part[i]);
  v.error *= 1.0 + 0x1p-50;
  return v;
}

/// Whether products and quotients of these sizes neither overflow nor lose their last places.
__device__ inline bool is_moderate(double x) { return fabs(x) > 0x1p-400 && fabs(x) < 0x1p400; }

__device__ inline near_value root_of(const near_value& v) {
  const double root = sqrt(v.high);
  const double low = (fma(-root, root, v.high) + v.low) / (2 * root);
  return {root, low, v.error / root + fabs(low) * 0x1p-49 + root * 0x1p-99};
}

/// (n products - x y) / (n freedom).
__device__ inline near_value covariance_of(const near_value& x, const near_value& y, const near_value& products,
                                           double n, double freedom) {
  const double a = n * products.high, a_low = fma(n, products.high, -a) + n * products.low;
  const double b = x.high * y.high, b_low = fma(x.high, y.high, -b) + (x.high * y.low + x.low * y.high);
  const double error =
      0x1p-98 * (fabs(a) + fabs(b)) + n * products.error + 2 * (fabs(x.high) * y.error + fabs(y.high) * x.error);
  const multifold::detail::two_sum s = multifold::detail::add_exactly(a, -b);
  const multifold::detail::two_sum top = multifold::detail::add_exactly(s.sum, s.error + (a_low - b_low));
  const double divisor = n * freedom;  // exact: n is below 2^26
  const double high = top.sum / divisor;
  const double low = (fma(-high, divisor, top.sum) + top.error) / divisor;
  return {high, low, error / divisor * 1.01 + fabs(low) * 0x1p-49 + fabs(high) * 0x1p-99};
}

/// Rounds to R and stores, if everything within the error rounds to the same.
template <floating_storage R>
__device__ bool store_certain(const near_value& v, void* out) {
  const R low = exact::nearest<R>(exact_pair{v.high, v.low - v.error});
  const R high = exact::nearest<R>(exact_pair{v.high, v.low + v.error});
  if (!exact::same_bits(low, high)) return false;
  *static_cast<R*>(out) = low;
  return true;
}

/// Stores the result of a batch of n elements, all of which are in `sums`; false if that is not certain.
template <storage_type T, moment_set Set>
__device__ bool deliver_quickly(const gather<T, Set>& sums, const output& to, std::int64_t batch, std::int64_t n) {
  if constexpr (!floating_storage<T> || Set == moment_set::description) {
    return false;
  } else {
    if (to.merge || n == 0 || n > (1 << 26)) return false;
    near_value v;
    if constexpr (Set == moment_set::absolute) {
      v = near_of(sums.x);
    } else {
      v = near_of(sums.products);
      if (!is_moderate(v.high)) return false;
    }
    if constexpr (scratch<T, Set>::deviates) {
      if (to.correction >= n) return false;
      const near_value x = near_of(sums.x), y = Set == moment_set::joint ? near_of(sums.y) : x;
      if (!is_moderate(x.high) || !is_moderate(y.high)) return false;
      v = covariance_of(x, y, v, static_cast<double>(n), static_cast<double>(n - to.correction));
    }
    if (!is_moderate(v.high)) return false;
    if (to.op == op_kind::norm2 || to.op == op_kind::std) {
      if (v.high < 0) return false;
      v = root_of(v);
    }
    void* const out = static_cast<char*>(to.data) + to.layout.at(batch) * item_bytes(to.result);
    bool certain;
    switch (to.result) {
      case dtype::f64: certain = store_certain<double>(v, out); break;
      case dtype::f32: certain = store_certain<float>(v, out); break;
      case dtype::bf16: certain = store_certain<bf16>(v, out); break;
      default: certain = store_certain<f16>(v, out); break;
    }
    if (certain && to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return certain;
  }
}

}  // namespace multifold::cuda::moments
