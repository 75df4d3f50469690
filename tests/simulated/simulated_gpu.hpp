// A GPU made of threads: each stream is one, and dawdles now and then, so that what is not held back comes too early.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
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

/// Whatever is asked fails from call number `call` on, counted from the last repair; but what was given can be given
/// back.
void break_at(std::int64_t call);
void repair();
/// Since the last repair.
std::int64_t calls();
/// Counts a call: what it has to return instead, if the GPU is broken.
cudaError_t next_call();

/// As a GPU of an architecture that the build is not for.
inline bool lacks_kernels = false;
/// Of memory that comes in the order of a stream.
inline bool has_pools = true;

enum class memory { pageable, pinned, device };
memory memory_at(const void* at);

/// Bytes that are allocated now, and the most that were since the last call of forget_most_bytes.
std::int64_t bytes_now(memory kind);
std::int64_t most_bytes(memory kind);
void forget_most_bytes();

}  // namespace simulated
