// What surrounds a call on device memory: the stream that it goes to, where its workspace comes from, and where it says
// how it went.
#pragma once

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "multifold/export.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1::cuda {

/// What names a stream: a cudaStream_t and what converts to one, as rmm::cuda_stream_view does, or what has one to get,
/// as cuda::stream_ref of libcu++ and multifold::cuda::stream have.
template <class T>
concept stream_like = std::convertible_to<const T&, cudaStream_t> || requires(const T& s) {
  { s.get() } -> std::convertible_to<cudaStream_t>;
};

/// A stream that somebody else owns; by default the default stream.
class stream_handle {
 public:
  stream_handle() = default;
  stream_handle(cudaStream_t stream) noexcept : handle_(stream) {}  // NOLINT: it names one
  template <stream_like T>
  requires(!std::same_as<T, stream_handle> && !std::same_as<T, cudaStream_t>) stream_handle(const T& stream)
  noexcept {  // NOLINT: it names one
    if constexpr (std::convertible_to<const T&, cudaStream_t>) handle_ = stream;
    else handle_ = stream.get();
  }

  cudaStream_t get() const noexcept { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// Where device memory comes from, in the order of a stream: what `allocate` returns is used by work that is enqueued
/// behind it, and `deallocate` is called when that work is enqueued, not when it is done.
/// Shapes: at least `bytes` bytes, which are never 0, aligned to 256.
/// Throws: `allocate` may, and what it throws leaves the function that asked; no memory at all is out_of_memory.
struct memory_resource {
  void* (*allocate)(void* context, std::size_t bytes, cudaStream_t stream) = nullptr;  // null: see default_memory
  void (*deallocate)(void* context, void* at, std::size_t bytes, cudaStream_t stream) noexcept = nullptr;
  void* context = nullptr;
};

/// The default pool of the stream's device (cudaMallocAsync), or plain_memory where the device has no pools. Both ends
/// of a workspace are nodes of a graph where the stream is being captured.
/// Cost: a pool gives what it has free back to the system whenever the stream, or the device, is waited for, and the
///       next call pays for it again, unless cudaMemPoolAttrReleaseThreshold says what it may keep.
MULTIFOLD_EXPORT memory_resource default_memory() noexcept;

/// A pool of the caller's own, which outlives the calls that take memory from it.
MULTIFOLD_EXPORT memory_resource pool_memory(cudaMemPool_t pool) noexcept;

/// cudaMalloc and cudaFree, which waits for all work of the device.
/// Throws: unsupported_error while the stream is being captured.
MULTIFOLD_EXPORT memory_resource plain_memory() noexcept;

/// One argument of all functions of this namespace that reduce: {stream}, {.stream = s, .status = word} and so on.
///
/// Memory: workspaces are taken from `memory` before the work is enqueued, and given back behind it. A call that throws
///         has given it back, too. Other threads may capture meanwhile, in any mode, whatever the resource calls.
/// Status: where `status` is not null, the call writes how it went there, in stream order: a multifold::status, ok
///         among them, for a kernel of yours, or for status_of. Calls that share a word leave that of the last one. It
///         is a status::bad_count if a count, an offset or a key in device memory does not fit the array, or keys that
///         were said to ascend do not. It takes a kernel more: in a row of small calls 3 us each.
struct environment {
  stream_handle stream = {};
  memory_resource memory = {};
  std::uint32_t* status = nullptr;  // in device memory
};

/// How the last call with `env` went. Synchronises its stream. Throws: shape_error if `env` has no status word.
MULTIFOLD_EXPORT multifold::status status_of(const environment& env);

/// Memory from a resource for as long as the object lives, in stream order. No bytes are no memory.
/// Throws: what the resource throws; out_of_memory if it gives none.
class MULTIFOLD_EXPORT stream_workspace {
 public:
  stream_workspace(std::int64_t bytes, const environment& env);
  stream_workspace(const stream_workspace&) = delete;
  stream_workspace& operator=(const stream_workspace&) = delete;
  ~stream_workspace();

  std::span<std::byte> bytes() const noexcept { return {static_cast<std::byte*>(data_), bytes_}; }

 private:
  memory_resource memory_;
  cudaStream_t stream_;
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Writes status::ok where `env` says: for functions that note nothing.
/// Throws: shape_error for a status word that is misaligned; cuda_error.
MULTIFOLD_EXPORT void write_ok(const environment& env);

}  // namespace multifold::inline v0_1::cuda
