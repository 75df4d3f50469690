// Sums as expansions: a few binary64 numbers whose sum is exact, or that say that it is not. A pair (exact/pair.hpp) is
// the shortest of them; products need longer ones, because each has 48 or 106 bits of its own.
// Source: Priest 1991; Shewchuk, Discrete & Computational Geometry 18 (1997), grow-expansion.
#pragma once

#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/exact/pair.hpp"

namespace multifold::cuda::moments {

template <int Parts>
struct expansion {
  double part[Parts];  // the last one is NaN if the sum is lost

  __device__ expansion() { clear(); }
  __device__ void clear() {
    part[0] = -0.0;  // so that a sum of nothing but -0 is -0
#pragma unroll
    for (int i = 1; i < Parts; ++i) part[i] = 0;
  }
  __device__ bool lost() const { return part[Parts - 1] != part[Parts - 1]; }

  /// Adds a finite number. What is already in it from part `First` on is of its size or smaller.
  template <int First = 0>
  __device__ void add(double x) {
#pragma unroll
    for (int i = First; i + 1 < Parts; ++i) {
      const multifold::detail::two_sum s = multifold::detail::add_exactly(part[i], x);
      part[i] = s.sum;
      x = s.error;
    }
    part[Parts - 1] = multifold::detail::add_or_lose(part[Parts - 1], x);
  }
  __device__ void add(const expansion& other) {
    const bool either = lost() || other.lost();
    add_parts<0>(other);  // each to its like: a zero behind the first part has no sign
    if (either) part[Parts - 1] = __longlong_as_double(0x7ff8000000000000);
  }
  /// The sum over the `width` lanes that share the upper bits of their numbers. All lanes of the warp must call.
  __device__ void merge_lanes(int width) {
    for (int mask = width / 2; mask > 0; mask /= 2) add(kernels::shuffle_xor(*this, mask));
  }
  __device__ bool only_negative_zeros() const {
    bool all = __double_as_longlong(part[0]) == INT64_MIN;
#pragma unroll
    for (int i = 1; i < Parts; ++i) all = all && part[i] == 0;
    return all;
  }

 private:
  template <int First>
  __device__ void add_parts(const expansion& other) {
    add<First>(other.part[First]);
    if constexpr (First + 1 < Parts) add_parts<First + 1>(other);
  }
};

}  // namespace multifold::cuda::moments
