#include "multifold/cuda/work_queue.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

constexpr unsigned unasked_shared_bytes = 48 << 10;

// Of kernels/dependent.cuh: kernels that were compiled for an older architecture do not wait.
constexpr int first_architecture_that_waits = 90;

}  // namespace

void allow_shared_bytes(const void* function, unsigned bytes) {
  if (bytes <= unasked_shared_bytes) return;
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, unsigned> allowed;
  int device = 0;
  check(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  unsigned& most = allowed[{device, function}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  most = bytes;
}

// The architecture that PTX was made for is __CUDA_ARCH__, by which kernels decide; the binary's may be a newer one.
bool starts_early(const void* function) {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, bool> known;
  int device = 0;
  check(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({device, function}, false);
  if (!is_new) return at->second;
  cudaFuncAttributes compiled{};
  if (const cudaError_t code = cudaFuncGetAttributes(&compiled, function); code != cudaSuccess) {
    known.erase(at);
    check(code);
  }
  return at->second = compiled.ptxVersion >= first_architecture_that_waits;
}

void stream_queue::launch(const kernel_work& work) {
  allow_shared_bytes(work.function, work.shared_bytes);
  if (work.early && starts_early(work.function)) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(work.blocks);
    how.blockDim = dim3(work.threads);
    how.dynamicSmemBytes = work.shared_bytes;
    how.stream = stream_;
    how.attrs = &early;
    how.numAttrs = 1;
    check(cudaLaunchKernelExC(&how, work.function, const_cast<void**>(work.arguments.data())));
    return;
  }
  check(cudaLaunchKernel(work.function, dim3(work.blocks), dim3(work.threads),
                         const_cast<void**>(work.arguments.data()), work.shared_bytes, stream_));
}

void stream_queue::clear(void* data, std::size_t bytes) { check(cudaMemsetAsync(data, 0, bytes, stream_)); }

}  // namespace multifold::inline v0_1::cuda
