// A GPU made of threads: each stream is one, and dawdles now and then, so that what is not held back comes too early.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <functional>
#include <mutex>

namespace simulated {

inline constexpr std::size_t device_bytes = std::size_t{16} << 30;

/// One lock for all of the GPU.
std::mutex& lock();
/// Told of whatever happens.
std::condition_variable& happened();

/// Behind the work that is on `stream` already.
void enqueue(cudaStream_t stream, std::function<void()> work);
/// Waits for all work of all streams.
void drain();

enum class memory { pageable, pinned, device };
memory memory_at(const void* at);

}  // namespace simulated
