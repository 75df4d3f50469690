// Arrays that are written late: by a kernel that spins for a while first, on a stream that waits for no other.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"

namespace multifold::device_tests {

/// One block, so that everything else finds room beside it.
template <class T>
__global__ void write_late(const T* from, T* to, std::int64_t count, std::int64_t delay_ns) {
  const auto now = [] {
    std::int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
  };
  const std::int64_t start = now();
  while (now() - start < delay_ns) {
  }
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

/// What is written to `to`, which is full of zeros until then.
class late_bytes {
 public:
  late_bytes(std::span<const std::byte> bytes, std::span<std::byte> to)
      : from_(static_cast<std::int64_t>(bytes.size())), to_(to.first(bytes.size())) {
    cuda::check(cudaMemcpy(from_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }

  /// Waits for the device.
  void forget() const {
    cuda::check(cudaDeviceSynchronize());
    cuda::check(cudaMemset(to_.data(), 0, to_.size()));
    cuda::check(cudaDeviceSynchronize());
  }
  /// Waits for nothing.
  void write(cudaStream_t stream, std::chrono::milliseconds delay) const {
    write_late<<<1, 1024, 0, stream>>>(from_.data(), to_.data(), from_.size(), delay.count() * 1'000'000);
    cuda::check(cudaGetLastError());
  }

 private:
  cuda::device_buffer from_;
  std::span<std::byte> to_;
};

}  // namespace multifold::device_tests
