// Results straight from a lane's expansions, where some tens of operations in pairs of binary64 are certain of the
// rounding: what makes short rows and columns fast. Whoever is not certain says so, and the words decide.
#pragma once

#include "device/exact/output.cuh"
#include "device/moments/finish.cuh"
#include "device/moments/gather.cuh"

namespace multifold::cuda::moments {

using multifold::detail::near_covariance;
using multifold::detail::near_root;
using multifold::detail::near_value;

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

/// Stores the result of a batch of n elements, all of which are in `sums`; false if that is not certain.
template <storage_type T, moment_set Set>
__device__ bool deliver_quickly(const gather<T, Set>& sums, const output& to, std::int64_t batch, std::int64_t n) {
  if constexpr (!floating_storage<T> || Set == moment_set::description) {
    return false;
  } else {
    if (to.merge || n == 0) return false;
    near_value v;
    if constexpr (Set == moment_set::absolute) v = near_of(sums.x);
    else v = near_of(sums.products);
    if constexpr (scratch<T, Set>::deviates) {
      const near_value x = near_of(sums.x), y = Set == moment_set::joint ? near_of(sums.y) : x;
      v = near_covariance(x, y, v, n, to.correction);
    }
    if (to.op == op_kind::norm2 || to.op == op_kind::std) v = near_root(v);
    void* const out = static_cast<char*>(to.data) + to.layout.at(batch) * item_bytes(to.result);
    const bool certain = multifold::detail::round_if_certain(v, to.result, out);
    if (certain && to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return certain;
  }
}

}  // namespace multifold::cuda::moments
