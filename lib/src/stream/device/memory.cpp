// One look at the first byte and one at the last.
#include "stream/device/memory.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::stream {
namespace {

cudaPointerAttributes attributes_of(const void* at) {
  cudaPointerAttributes found{};
  cuda::check(cudaPointerGetAttributes(&found, at));
  return found;
}

}  // namespace

bool is_pinned(const void* data, std::int64_t bytes) {
  if (data == nullptr || bytes <= 0) return false;
  const auto* const last = static_cast<const std::byte*>(data) + bytes - 1;
  return attributes_of(data).type == cudaMemoryTypeHost && attributes_of(last).type == cudaMemoryTypeHost;
}

operands mapped_address(const inputs& input) {
  const auto seen = [&](const void* at) -> const void* {
    if (at == nullptr) return nullptr;
    const void* const there = attributes_of(at).devicePointer;
    if (there != nullptr) return there;
    throw unsupported_error(input.x.name() +
                            ": the array lies in pinned memory that this device does not see: register it with " +
                            "cudaHostRegisterMapped, or let it be copied");
  };
  return {seen(input.memory.x), seen(input.memory.y)};
}

transfer way_of(const inputs& input, std::int64_t bytes, transfer asked) {
  if (asked == transfer::staged) return asked;
  const bool pinned = is_pinned(input.memory.x, bytes) && (input.count() == 1 || is_pinned(input.memory.y, bytes));
  if (asked == transfer::automatic) return pinned ? transfer::copy : transfer::staged;
  if (pinned) return asked;
  throw unsupported_error(input.x.name() + ": the transfer " + std::string(name(asked)) +
                          " takes arrays in pinned memory, and this one is " +
                          (input.memory.x == nullptr ? "read from a source" : "in pageable memory") +
                          ": allocate it with cudaMallocHost, register it with cudaHostRegister, or stage it");
}

}  // namespace multifold::inline v0_1::stream
