// Streams and memory of other libraries in an environment, by classes with members like theirs. Also run on the
// simulated GPU.
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/environment/fixture.hpp"
#include "multifold/cuda/memory_adaptors.hpp"

namespace multifold::device_tests {
namespace {

using cuda::environment;

// Streams of other libraries: one that converts, and one that is asked.
struct converting_view {
  cudaStream_t value;
  operator cudaStream_t() const noexcept { return value; }  // NOLINT: as rmm::cuda_stream_view
};
struct asked_ref {
  cudaStream_t value;
  cudaStream_t get() const noexcept { return value; }
};

TEST_F(device_environment, streams_are_those_of_any_library) {
  EXPECT_EQ(environment{stream()}.stream.get(), stream());
  EXPECT_EQ(environment{*stream_}.stream.get(), stream());
  EXPECT_EQ(environment{converting_view{stream()}}.stream.get(), stream());
  EXPECT_EQ(environment{asked_ref{stream()}}.stream.get(), stream());
  EXPECT_EQ(environment{}.stream.get(), nullptr);
  static_assert(!cuda::stream_like<int> && !cuda::stream_like<std::vector<int>>);
}

// Resources with the members of four generations of cuda::mr and RMM.
struct fake_resource {
  int given = 0, taken_back = 0;
  std::size_t bytes = 0, alignment = 0;
  void* at = nullptr;

  void* give(std::size_t n, std::size_t a, cudaStream_t stream) {
    ++given, bytes = n, alignment = a;
    cuda::check(cudaMallocAsync(&at, n, stream));
    return at;
  }
  void take(void* p, std::size_t n, std::size_t a, cudaStream_t stream) noexcept {
    EXPECT_EQ(p, at);
    EXPECT_EQ(n, bytes);
    EXPECT_EQ(a, alignment);
    ++taken_back;
    cudaFreeAsync(p, stream);
  }
};

struct from_cudastream {
  cudaStream_t value;
  from_cudastream(cudaStream_t stream) noexcept : value(stream) {}  // NOLINT: as cuda::stream_ref
};

struct newest : fake_resource {
  void* allocate(from_cudastream stream, std::size_t n, std::size_t a) { return give(n, a, stream.value); }
  void deallocate(from_cudastream stream, void* p, std::size_t n, std::size_t a) noexcept {
    take(p, n, a, stream.value);
  }
};
struct asynchronous : fake_resource {
  void* allocate(std::size_t, std::size_t) { throw std::logic_error("not in the order of a stream"); }
  void deallocate(void*, std::size_t, std::size_t) { throw std::logic_error("not in the order of a stream"); }
  void* allocate_async(std::size_t n, std::size_t a, from_cudastream stream) { return give(n, a, stream.value); }
  void deallocate_async(void* p, std::size_t n, std::size_t a, from_cudastream stream) { take(p, n, a, stream.value); }
};
struct unaligned : fake_resource {
  void* allocate_async(std::size_t n, from_cudastream stream) { return give(n, 0, stream.value); }
  void deallocate_async(void* p, std::size_t n, from_cudastream stream) { take(p, n, 0, stream.value); }
};
struct oldest : fake_resource {
  void* allocate(std::size_t n, from_cudastream stream) { return give(n, 0, stream.value); }
  void deallocate(void* p, std::size_t n, from_cudastream stream) { take(p, n, 0, stream.value); }
};
/// A reference, which gives what the resource has, and is const itself.
struct reference {
  asynchronous* to;
  void* allocate_async(std::size_t n, std::size_t a, from_cudastream s) const { return to->allocate_async(n, a, s); }
  void deallocate_async(void* p, std::size_t n, std::size_t a, from_cudastream s) const {
    to->deallocate_async(p, n, a, s);
  }
};
struct synchronous {
  void* allocate(std::size_t, std::size_t);
  void deallocate(void*, std::size_t, std::size_t);
};
static_assert(!cuda::stream_ordered_resource<synchronous> && !cuda::stream_ordered_resource<int>);
template <class R>
concept adapts = requires(R&& resource) {
  cuda::memory_of(std::forward<R>(resource));
};
static_assert(adapts<newest&> && adapts<const reference&> && !adapts<newest> && !adapts<reference>);

TEST_F(device_environment, resources_are_those_of_any_library) {
  const auto* const x = on_device(tenths(1000));
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  const auto expect_used = [&](const cuda::memory_resource& memory, const fake_resource& used, std::size_t alignment) {
    cuda::check(cudaMemsetAsync(results(), poison, 4, stream()));
    cuda::reduce_async(p, x, results(), {stream(), memory});
    EXPECT_EQ(found<float>(1), std::vector<float>{100});
    EXPECT_EQ(used.given, 1);
    EXPECT_EQ(used.taken_back, 1);
    EXPECT_EQ(used.bytes, static_cast<std::size_t>(p.workspace_bytes()));
    EXPECT_EQ(used.alignment, alignment);
  };
  newest first;
  expect_used(cuda::memory_of(first), first, 256);
  asynchronous second;
  expect_used(cuda::memory_of(second), second, 256);
  unaligned third;
  expect_used(cuda::memory_of(third), third, 0);
  oldest fourth;
  expect_used(cuda::memory_of(fourth), fourth, 0);
  asynchronous fifth;
  const reference to_fifth{&fifth};
  expect_used(cuda::memory_of(to_fifth), fifth, 256);
}

}  // namespace
}  // namespace multifold::device_tests
