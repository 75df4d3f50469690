// The link to the GPU, measured by the copies that a pipeline makes.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/stream.hpp"
#include "reduce/rates/device.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::int64_t pinned_bytes = INT64_C(64) << 20, chunk_bytes = INT64_C(16) << 20;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double copying_seconds(const cuda::pinned_buffer& from, const cuda::device_buffer& to, const cuda::stream& stream) {
  const double start = now();
  for (std::int64_t at = 0; at < pinned_bytes; at += chunk_bytes) {
    cuda::check(cudaMemcpyAsync(to.data(), from.data() + at, chunk_bytes, cudaMemcpyHostToDevice, stream.get()));
  }
  stream.synchronise();
  return now() - start;
}

}  // namespace

std::string device_uuid() {
  int device = 0;
  cudaDeviceProp properties;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, device);
  cuda::forget(code);
  if (code != cudaSuccess) return "";
  std::string text;
  for (const char byte : properties.uuid.bytes) {
    constexpr const char* digits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    text += {digits[value >> 4], digits[value & 15]};
  }
  return text;
}

bool is_pinned(const void* data) {
  cudaPointerAttributes found{};
  const cudaError_t code = cudaPointerGetAttributes(&found, data);
  cuda::forget(code);
  return code == cudaSuccess && found.type == cudaMemoryTypeHost;
}

void measure_device(machine_rates& rates, const std::function<void(std::span<std::byte> pinned)>& stage) {
  try {
    const cuda::stream stream;  // opens the device, before any clock starts
    const cuda::device_buffer on_device(chunk_bytes);
    const double start = now();
    const cuda::pinned_buffer pinned(pinned_bytes);
    rates.pinning = pinned_bytes / (now() - start);
    copying_seconds(pinned, on_device, stream);
    rates.link =
        pinned_bytes / std::min(copying_seconds(pinned, on_device, stream), copying_seconds(pinned, on_device, stream));
    stage(pinned.bytes());
  } catch (const error&) {
    // A device that has no room now is none whose rates are known.
  }
}

}  // namespace multifold::inline v0_1::detail
