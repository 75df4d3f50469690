// Memory in stream order, from the resource that the caller names.
#include "multifold/cuda/environment.hpp"

#include <string>

#include "device/capture_mode.hpp"
#include "device/check_memory.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

bool device_has_pools() {
  int device = 0, has_pools = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device));
  return has_pools != 0;
}

void* checked(cudaError_t code, void* data, std::size_t bytes) {
  if (code == cudaErrorMemoryAllocation) {
    forget(code);
    throw out_of_memory("could not get " + std::to_string(bytes) +
                        " bytes of device memory for a workspace: free some of it, or reduce less at a time");
  }
  check(code);
  return data;
}

void* allocate_plainly(void*, std::size_t bytes, cudaStream_t stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone) {
    throw unsupported_error(
        "a workspace by cudaMalloc was asked for on a stream that is being captured: give the function a workspace, "
        "or memory from a pool");
  }
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  return checked(code, data, bytes);
}

void deallocate_plainly(void*, void* at, std::size_t, cudaStream_t) noexcept { forget(cudaFree(at)); }

void* allocate_by_default(void* context, std::size_t bytes, cudaStream_t stream) {
  if (!device_has_pools()) return allocate_plainly(context, bytes, stream);
  void* data = nullptr;
  const cudaError_t code = cudaMallocAsync(&data, bytes, stream);
  return checked(code, data, bytes);
}

void* allocate_from_pool(void* context, std::size_t bytes, cudaStream_t stream) {
  void* data = nullptr;
  const cudaError_t code = cudaMallocFromPoolAsync(&data, bytes, static_cast<cudaMemPool_t>(context), stream);
  return checked(code, data, bytes);
}

void deallocate_to_pool(void*, void* at, std::size_t, cudaStream_t stream) noexcept {
  forget(cudaFreeAsync(at, stream));
}

void deallocate_by_default(void* context, void* at, std::size_t bytes, cudaStream_t stream) noexcept {
  int device = 0, has_pools = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device);
  forget(code);
  if (has_pools != 0) deallocate_to_pool(context, at, bytes, stream);
  else deallocate_plainly(context, at, bytes, stream);
}

}  // namespace

memory_resource default_memory() noexcept { return {allocate_by_default, deallocate_by_default, nullptr}; }
memory_resource pool_memory(cudaMemPool_t pool) noexcept { return {allocate_from_pool, deallocate_to_pool, pool}; }
memory_resource plain_memory() noexcept { return {allocate_plainly, deallocate_plainly, nullptr}; }

multifold::status status_of(const environment& env) {
  if (env.status == nullptr) throw shape_error("the environment has no status word: its pointer is null");
  std::uint32_t word = 0;
  check(cudaMemcpyAsync(&word, env.status, sizeof word, cudaMemcpyDeviceToHost, env.stream.get()));
  check(cudaStreamSynchronize(env.stream.get()));
  return static_cast<multifold::status>(word);
}

stream_workspace::stream_workspace(std::int64_t bytes, const environment& env)
    : memory_(env.memory.allocate != nullptr ? env.memory : default_memory()),
      stream_(env.stream.get()),
      bytes_(static_cast<std::size_t>(bytes)) {
  if (bytes_ == 0) return;
  if (memory_.deallocate == nullptr) throw shape_error("the memory resource has no function to give memory back to");
  const relaxed_capture_mode relaxed;
  data_ = memory_.allocate(memory_.context, bytes_, stream_);
  if (data_ != nullptr) return;
  throw out_of_memory("the memory resource gave none of the " + std::to_string(bytes_) + " bytes of a workspace");
}

stream_workspace::~stream_workspace() {
  if (data_ == nullptr) return;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // silently, in place of relaxed_capture_mode
  forget(cudaThreadExchangeStreamCaptureMode(&mode));
  memory_.deallocate(memory_.context, data_, bytes_, stream_);
  forget(cudaThreadExchangeStreamCaptureMode(&mode));
}

void write_ok(const environment& env) {
  if (env.status == nullptr) return;
  check_memory("status word", env.status, sizeof *env.status);
  check(cudaMemsetAsync(env.status, 0, sizeof *env.status, env.stream.get()));
}

}  // namespace multifold::inline v0_1::cuda
