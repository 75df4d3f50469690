// A first look at the elements of a run, which is all that ordinary ones need. See docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "device/exact/group_exchange.cuh"
#include "device/exact/run_sums.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// What a lane sees of elements as it adds them up. Every partial sum, in any order, is a multiple of the least element's
/// last place, and no more than all magnitudes together: four instructions an element tell whether that is a double.
template <floating_storage T>
struct first_look {
  double sum[2] = {-0.0, -0.0};
  float bulk = 0;                     // of magnitudes, rounded
  std::uint32_t least = 0xffffffffu;  // twice the least pattern less one, so that zeros are none

  __device__ void see(T x, int k) {
    const auto value = looked_at(x);
    const std::uint32_t bits = __float_as_uint(value);
    bulk += fabsf(value);
    least = min(least, bits + bits - 1);
    sum[k % 2] += static_cast<double>(value);
  }
  /// Meets with the other lanes of a group. Returns whether the sum is that of the run, of up to 2^12 elements a lane.
  __device__ bool meet(int group) {
    sum[0] += sum[1];
    bulk *= 1.001f;  // what was rounded off, and more
    merge_group(group, sum[0], bulk, least);
    const int top = static_cast<int>(__float_as_uint(bulk) >> 23), low = static_cast<int>((least + 1) >> 24);
    return top < 255 && top - max(low, 1) <= 52 - multifold::detail::float_layout<T>::mantissa_bits;
  }
  __device__ double all() const { return sum[0]; }
};

}  // namespace multifold::inline v0_1::cuda::kernels
