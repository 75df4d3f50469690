// Memory that was allocated, is full of rubbish, and is gone for good when it is freed.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include "reduce/places.hpp"
#include "simulated_gpu.hpp"

namespace simulated {
namespace {

struct block {
  std::size_t bytes;
  memory kind;
};

std::map<const char*, block>& blocks() {
  static std::map<const char*, block> all;
  return all;
}

std::array<std::size_t, 3> used{}, most{};  // of each kind

void note(memory kind, std::size_t given, std::size_t taken) {
  const auto at = static_cast<std::size_t>(kind);
  used[at] = used[at] + given - taken;
  most[at] = std::max(most[at], used[at]);
}

// Greater blocks only take memory away from others, and have none.
constexpr std::size_t greatest_real_bytes = std::size_t{512} << 20;

cudaError_t allocate(void** data, std::size_t bytes, memory kind) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  const std::lock_guard guard(lock());
  if (kind == memory::device && used[static_cast<std::size_t>(kind)] + bytes > device_bytes)
    return cudaErrorMemoryAllocation;
  const bool real = bytes <= greatest_real_bytes;
  *data = std::aligned_alloc(4096, real ? (bytes + 4095) / 4096 * 4096 : 4096);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  if (real) std::memset(*data, 0xcd, bytes);
  blocks()[static_cast<const char*>(*data)] = {bytes, kind};
  note(kind, bytes, 0);
  return cudaSuccess;
}

// Whatever still uses it.
cudaError_t forget(void* data, memory kind) {
  const std::lock_guard guard(lock());
  const auto found = blocks().find(static_cast<const char*>(data));
  if (found == blocks().end() || found->second.kind != kind) return cudaErrorInvalidValue;
  note(kind, 0, found->second.bytes);
  if (found->second.bytes <= greatest_real_bytes) std::memset(data, 0xee, found->second.bytes);
  blocks().erase(found);
  std::free(data);
  return cudaSuccess;
}

cudaError_t release(void* data, memory kind) {
  if (data == nullptr) return cudaSuccess;
  drain();
  return forget(data, kind);
}

}  // namespace

std::int64_t bytes_now(memory kind) {
  const std::lock_guard guard(lock());
  return static_cast<std::int64_t>(used[static_cast<std::size_t>(kind)]);
}

std::int64_t most_bytes(memory kind) {
  const std::lock_guard guard(lock());
  return static_cast<std::int64_t>(most[static_cast<std::size_t>(kind)]);
}

void forget_most_bytes() {
  const std::lock_guard guard(lock());
  most = used;
}

memory memory_at(const void* at) {
  const std::lock_guard guard(lock());
  auto after = blocks().upper_bound(static_cast<const char*>(at));
  if (after == blocks().begin()) return memory::pageable;
  const auto& [data, found] = *--after;
  return static_cast<const char*>(at) < data + found.bytes ? found.kind : memory::pageable;
}

}  // namespace simulated

using simulated::memory;

cudaError_t cudaMalloc(void** data, std::size_t bytes) { return simulated::allocate(data, bytes, memory::device); }
cudaError_t cudaFree(void* data) { return simulated::release(data, memory::device); }
// The pool of a device has what it has at once, and gets it back when its turn comes.
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t) {
  return simulated::allocate(data, bytes, memory::device);
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  simulated::enqueue(stream, [data] { simulated::forget(data, memory::device); });
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) { return simulated::allocate(data, bytes, memory::pinned); }
cudaError_t cudaFreeHost(void* data) { return simulated::release(data, memory::pinned); }

cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned) {
  if (const cudaError_t broken = simulated::next_call(); broken != cudaSuccess) return broken;
  const std::lock_guard guard(simulated::lock());
  simulated::blocks()[static_cast<const char*>(data)] = {bytes, memory::pinned};
  simulated::note(memory::pinned, bytes, 0);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* data) {
  simulated::drain();
  const std::lock_guard guard(simulated::lock());
  const auto found = simulated::blocks().find(static_cast<const char*>(data));
  if (found == simulated::blocks().end()) return cudaErrorInvalidValue;
  simulated::note(memory::pinned, 0, found->second.bytes);
  simulated::blocks().erase(found);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void* at) {
  const memory kind = simulated::memory_at(at);
  *found = {};
  found->type = kind == memory::pinned   ? cudaMemoryTypeHost
                : kind == memory::device ? cudaMemoryTypeDevice
                                         : cudaMemoryTypeUnregistered;
  if (kind != memory::pageable) found->devicePointer = const_cast<void*>(at);
  return cudaSuccess;
}

// Nothing of the driver is there to be asked.
bool multifold::detail::uses_cuda() { return false; }
bool multifold::detail::is_device_memory(const void* at) { return simulated::memory_at(at) == memory::device; }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  *value = what == cudaDevAttrMemoryPoolsSupported && simulated::has_pools ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return cudaErrorNoDevice; }  // its rates say nothing
cudaError_t cudaDeviceSynchronize() {
  simulated::drain();
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return simulated::next_call(); }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "the simulated GPU refuses"; }
const char* cudaGetErrorName(cudaError_t) { return "simulated"; }
