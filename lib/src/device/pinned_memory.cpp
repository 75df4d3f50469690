// Huge pages, touched by several threads, because it is the zeroing of pages that takes the time.
#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

#include "multifold/cuda/buffer.hpp"

namespace multifold::inline v0_1::cuda::detail {
namespace {

constexpr std::size_t huge_page = 2 << 20, page = 4096;
constexpr std::size_t touched_by_one = 8 << 20;
constexpr std::size_t most_threads = 8;

void touch(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += page) const_cast<volatile std::byte*>(data)[at] = std::byte{};
}

void touch_by_many(std::byte* data, std::size_t bytes) {
  const std::size_t threads = std::clamp<std::size_t>(bytes / touched_by_one, 1, most_threads);
  const std::size_t each = (bytes / threads + huge_page - 1) / huge_page * huge_page;
  std::vector<std::jthread> crew;
  for (std::size_t at = 0; at < bytes; at += each) {
    const std::size_t some = std::min(each, bytes - at);
    try {
      if (at > 0) crew.emplace_back(touch, data + at, some);
    } catch (const std::system_error&) {
      break;  // the registration touches what is left
    }
  }
  touch(data, std::min(each, bytes));
}

}  // namespace

cudaError_t pinned_memory::allocate(void** data, std::size_t bytes) {
  if (bytes < huge_page) return cudaMallocHost(data, bytes);
  if (::posix_memalign(data, huge_page, bytes) != 0) return cudaErrorMemoryAllocation;
  ::madvise(*data, bytes, MADV_HUGEPAGE);
  touch_by_many(static_cast<std::byte*>(*data), bytes);
  const cudaError_t code = cudaHostRegister(*data, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
  if (code != cudaSuccess) std::free(*data);
  return code;
}

void pinned_memory::release(void* data, std::size_t bytes) {
  if (bytes < huge_page) {
    cudaFreeHost(data);
    return;
  }
  cudaHostUnregister(data);
  std::free(data);
}

}  // namespace multifold::inline v0_1::cuda::detail
