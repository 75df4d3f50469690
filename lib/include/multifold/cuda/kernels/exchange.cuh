// Accumulators of any size between the threads of a warp, and merged into memory by atomics.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>

#include "multifold/ops/extremum.hpp"
#include "multifold/ops/tally.hpp"

namespace multifold::inline v0_1::cuda::kernels {

constexpr unsigned whole_warp = 0xffffffffu;

/// The value of the lane whose number differs in the bits of `mask`. All 32 lanes must call.
template <class T>
__device__ T shuffle_xor(const T& value, int mask) {
  constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned bits[words] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) bits[i] = __shfl_xor_sync(whole_warp, bits[i], mask);
  T other;
  memcpy(&other, bits, sizeof(T));
  return other;
}

/// An accumulator combined with that of the lane whose number differs in the bits of `mask`. Of expansions whose tails
/// are zeros in all lanes, two parts are enough. All 32 lanes must call.
template <class Op>
__device__ typename Op::accumulator meet(const Op& op, typename Op::accumulator value, int mask) {
  if constexpr (requires { value.wide(); }) {
    if (!__any_sync(whole_warp, value.wide())) {
      const double high = __shfl_xor_sync(whole_warp, value.part[0], mask);
      const double low = __shfl_xor_sync(whole_warp, value.part[1], mask);
      value.grow(high);
      if (low != 0) value.grow(low);
      return value;
    }
  }
  return op.combine(value, shuffle_xor(value, mask));
}

/// Integer sums add both halves; the carry is worked out from the old low half, so no bit is lost in any order.
template <order_free Op>
__device__ void atomic_merge(const Op&, int128_t* into, int128_t value) {
  auto* words = reinterpret_cast<unsigned long long*>(into);
  const auto low = static_cast<unsigned long long>(value);
  const auto high = static_cast<unsigned long long>(static_cast<uint128_t>(value) >> 64);
  const unsigned long long old = atomicAdd(words, low);
  const unsigned long long carry = old + low < old ? 1 : 0;
  if (high + carry != 0) atomicAdd(words + 1, high + carry);
}

/// Extrema are minima of keys.
template <order_free Op>
__device__ void atomic_merge(const Op&, std::int32_t* into, std::int32_t value) {
  atomicMin(into, value);
}

template <order_free Op>
__device__ void atomic_merge(const Op&, std::int64_t* into, std::int64_t value) {
  atomicMin(reinterpret_cast<long long*>(into), static_cast<long long>(value));
}

/// Counts are added.
template <order_free Op>
requires std::derived_from<Op, merged_tally> __device__ void atomic_merge(const Op&, std::int64_t* into,
                                                                          std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(into), static_cast<unsigned long long>(value));
}

}  // namespace multifold::inline v0_1::cuda::kernels
