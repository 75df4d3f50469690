// The numbers of numbers.hpp, made on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "rungs/common.cuh"

namespace multifold::ladder::gpu {

/// The same number as number_at<T>(index, array), to the bit.
template <class T>
__device__ T number_of(std::int64_t index, int array) {
  const unsigned long long start = 20261123ull + static_cast<unsigned long long>(array) * 1000003ull;
  unsigned long long z = start + (static_cast<unsigned long long>(index) + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  const auto word = static_cast<std::int32_t>(static_cast<std::uint32_t>(z >> 32));
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(word) * static_cast<T>(0x1p-31);
  else return static_cast<T>(word >> 8);
}

template <class T>
__global__ void fill_numbers(T* to, std::int64_t count, int array) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i < count; i += step) to[i] = number_of<T>(i, array);
}

/// Stream: one kernel; no synchronisation.
template <class T>
void fill(T* to, std::int64_t count, int array, cudaStream_t stream) {
  const std::int64_t blocks = std::min<std::int64_t>(ceil_div(count, 256), 1 << 16);
  fill_numbers<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(to, count, array);
  check_launch();
}

}  // namespace multifold::ladder::gpu
