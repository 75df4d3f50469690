// What a reduction is to a GPU: kernels and memsets, one after the other. A queue takes them: a stream runs them, a
// graph becomes nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include "multifold/export.hpp"

namespace multifold::inline v0_1::cuda {

/// A kernel and its arguments, which live as long as the call that is given it.
struct kernel_work {
  const void* function = nullptr;
  unsigned blocks = 1;
  unsigned threads = 1;
  unsigned shared_bytes = 0;  // dynamic
  std::span<void* const> arguments = {};
  std::span<const std::size_t> argument_bytes = {};
  bool early = false;  // may be started before the kernel in front of it has ended (kernels/dependent.cuh)
};

/// Takes work in order: each item may use what those before it wrote.
class MULTIFOLD_EXPORT work_queue {
 public:
  virtual ~work_queue() = default;
  virtual void launch(const kernel_work& work) = 0;
  /// Sets device memory to zero.
  virtual void clear(void* data, std::size_t bytes) = 0;
};

/// Enqueues on a stream. Safe under capture. Throws: cuda_error if the launch fails.
class MULTIFOLD_EXPORT stream_queue final : public work_queue {
 public:
  explicit stream_queue(cudaStream_t stream) : stream_(stream) {}
  void launch(const kernel_work& work) override;
  void clear(void* data, std::size_t bytes) override;

 private:
  cudaStream_t stream_;
};

/// Lets `function` have so much dynamic shared memory on the current device, which kernels get up to 48 KiB of unasked.
/// Asks CUDA once a device; allowed under capture.
MULTIFOLD_EXPORT void allow_shared_bytes(const void* function, unsigned bytes);

/// Whether `function` may be started early on the current device: whether the code that runs there was compiled to wait
/// (kernels/dependent.cuh). PTX of an older architecture never waits, also where Hopper's driver compiled it. Asks CUDA
/// once a kernel and device; allowed under capture.
MULTIFOLD_EXPORT bool starts_early(const void* function);

namespace detail {

template <class... Parameters, class... Arguments>
void put_kernel(work_queue& queue, bool early, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                unsigned shared_bytes, const Arguments&... arguments) {
  std::tuple<Parameters...> values(arguments...);
  std::apply(
      [&](auto&... value) {
        void* const at[] = {const_cast<void*>(static_cast<const void*>(&value))...};
        constexpr std::size_t bytes[] = {sizeof(Parameters)...};
        const kernel_work work{reinterpret_cast<const void*>(kernel), blocks, threads, shared_bytes, at, bytes, early};
        queue.launch(work);
      },
      values);
}

}  // namespace detail

/// Puts `kernel(arguments...)` in the queue. Arguments are converted as in a call.
template <class... Parameters, class... Arguments>
void launch_kernel(work_queue& queue, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                   unsigned shared_bytes, const Arguments&... arguments) {
  detail::put_kernel(queue, false, kernel, blocks, threads, shared_bytes, arguments...);
}

/// The same for a kernel that goes on with what the work in front of it has made, and begins with wait_for_previous().
template <class... Parameters, class... Arguments>
void launch_next_kernel(work_queue& queue, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                        unsigned shared_bytes, const Arguments&... arguments) {
  detail::put_kernel(queue, true, kernel, blocks, threads, shared_bytes, arguments...);
}

}  // namespace multifold::inline v0_1::cuda
