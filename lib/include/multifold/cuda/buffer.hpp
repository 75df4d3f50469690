// Owned memory that CUDA knows: on the device, or pinned on the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda {
namespace detail {

struct device_memory {
  static constexpr const char* name = "device";
  static cudaError_t allocate(void** data, std::size_t bytes) { return cudaMalloc(data, bytes); }
  static void release(void* data, std::size_t) { cudaFree(data); }
};

// Large blocks are huge pages that several threads touch before they are registered: cudaMallocHost takes ten times as
// long. Their release waits for nothing: cudaDeviceSynchronize breaks the captures of other threads, in every mode.
struct pinned_memory {
  static constexpr const char* name = "pinned host";
  static cudaError_t allocate(void** data, std::size_t bytes);
  static void release(void* data, std::size_t bytes);
};

}  // namespace detail

/// Bytes of one kind of memory, aligned to 256. Move-only. The destructor is silent; one who enqueued work that uses
/// pinned memory waits for that work first. Device memory goes by cudaFree, which waits for the device itself.
/// Throws: out_of_memory if there is not enough; the message says how much was wanted.
template <class Memory>
class buffer {
 public:
  buffer() = default;
  explicit buffer(std::int64_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const cudaError_t code = Memory::allocate(&data_, static_cast<std::size_t>(bytes));
    if (code == cudaErrorMemoryAllocation) {
      forget(code);
      throw out_of_memory("could not get " + std::to_string(bytes) + " bytes of " + Memory::name +
                          " memory: ask for less (reduce_options::memory_bytes), or use the host engine");
    }
    check(code);
  }
  buffer(buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~buffer() {
    if (data_ != nullptr) Memory::release(data_, static_cast<std::size_t>(bytes_));
  }

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::int64_t size() const noexcept { return bytes_; }
  std::span<std::byte> bytes() const noexcept { return {data(), static_cast<std::size_t>(bytes_)}; }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

using device_buffer = buffer<detail::device_memory>;
using pinned_buffer = buffer<detail::pinned_memory>;

}  // namespace multifold::inline v0_1::cuda
