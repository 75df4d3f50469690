// Memory resources of other libraries as those of an environment: RMM's, libcu++'s (cuda::mr), and classes with members
// like theirs. Nothing of these libraries is included or needed.
//
//   rmm::mr::pool_memory_resource pool(...);
//   multifold::cuda::reduce_async(plan, x, sum, {stream, multifold::cuda::memory_of(pool)});
#pragma once

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "multifold/cuda/environment.hpp"

namespace multifold::inline v0_1::cuda {

/// What adaptors ask a resource for, as it asks for an alignment: that of workspaces.
inline constexpr std::size_t workspace_alignment = 256;

namespace resources {

// The ways in which libraries have asked for memory in the order of a stream, the newest first. Streams convert from
// cudaStream_t: rmm::cuda_stream_view and cuda::stream_ref do.

/// allocate(stream, bytes, alignment), deallocate(stream, pointer, bytes, alignment): cuda::mr of CCCL 3.1 and RMM
/// since.
template <class R>
concept stream_first = requires(R& r, cudaStream_t stream, void* at, std::size_t n) {
  { r.allocate(stream, n, n) } -> std::convertible_to<void*>;
  r.deallocate(stream, at, n, n);
};

/// allocate_async(bytes, alignment, stream), deallocate_async(pointer, bytes, alignment, stream): cuda::mr before, and
/// rmm::device_async_resource_ref.
template <class R>
concept aligned_async = requires(R& r, cudaStream_t stream, void* at, std::size_t n) {
  { r.allocate_async(n, n, stream) } -> std::convertible_to<void*>;
  r.deallocate_async(at, n, n, stream);
};

/// The same without an alignment.
template <class R>
concept plain_async = requires(R& r, cudaStream_t stream, void* at, std::size_t n) {
  { r.allocate_async(n, stream) } -> std::convertible_to<void*>;
  r.deallocate_async(at, n, stream);
};

/// allocate(bytes, stream), deallocate(pointer, bytes, stream): rmm::mr::device_memory_resource.
template <class R>
concept stream_last = requires(R& r, cudaStream_t stream, void* at, std::size_t n) {
  { r.allocate(n, stream) } -> std::convertible_to<void*>;
  r.deallocate(at, n, stream);
};

}  // namespace resources

/// A resource that gives memory in the order of a stream.
template <class R>
concept stream_ordered_resource =
    resources::stream_first<R> || resources::aligned_async<R> || resources::plain_async<R> || resources::stream_last<R>;

/// `resource` as an environment takes it: nothing is copied, so it has to outlive the calls. That goes for a
/// resource_ref as well, which is small, but asked where it is. Throws: nothing; functions that take the environment
/// throw what `resource` throws where it has no memory.
template <stream_ordered_resource R>
memory_resource memory_of(R& resource) noexcept {
  using bare = std::remove_const_t<R>;
  const auto allocate = [](void* context, std::size_t bytes, cudaStream_t stream) -> void* {
    auto& r = *static_cast<R*>(context);
    if constexpr (resources::stream_first<R>) return r.allocate(stream, bytes, workspace_alignment);
    else if constexpr (resources::aligned_async<R>) return r.allocate_async(bytes, workspace_alignment, stream);
    else if constexpr (resources::plain_async<R>) return r.allocate_async(bytes, stream);
    else return r.allocate(bytes, stream);
  };
  const auto deallocate = [](void* context, void* at, std::size_t bytes, cudaStream_t stream) noexcept {
    auto& r = *static_cast<R*>(context);
    if constexpr (resources::stream_first<R>) r.deallocate(stream, at, bytes, workspace_alignment);
    else if constexpr (resources::aligned_async<R>) r.deallocate_async(at, bytes, workspace_alignment, stream);
    else if constexpr (resources::plain_async<R>) r.deallocate_async(at, bytes, stream);
    else r.deallocate(at, bytes, stream);
  };
  return {allocate, deallocate, const_cast<bare*>(std::addressof(resource))};
}

/// A resource that is gone when the call that made it ends has no memory to give.
template <stream_ordered_resource R>
memory_resource memory_of(const R&& resource) = delete;

}  // namespace multifold::inline v0_1::cuda
