// Results straight from a lane's expansions, where some tens of operations in pairs of binary64 are certain of the
// rounding: what makes short rows and columns fast. Whoever is not certain says so, and the words decide.
#pragma once

#include "device/exact/output.cuh"
#include "device/moments/finish.cuh"
#include "device/moments/gather.cuh"

namespace multifold::cuda::moments {

using multifold::detail::near_covariance;
using multifold::detail::near_of;
using multifold::detail::near_root;
using multifold::detail::near_value;

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
