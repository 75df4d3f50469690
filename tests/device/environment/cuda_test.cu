// Environments in what nvcc compiles: operations of the user's own, and streams and memory of libcu++.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE  // before CCCL 3.1

#include <cuda/memory_resource>
#include <cuda/stream_ref>
#include <cuda/version>
#include <vector>

#include "device/environment/fixture.hpp"
#include "multifold/cuda/fold.cuh"
#include "multifold/cuda/memory_adaptors.hpp"

namespace multifold::device_tests {

#if CCCL_VERSION < 3001000
/// A resource in the sense of cuda::mr.
struct pool {
  int given = 0, taken_back = 0;

  void* allocate(std::size_t bytes, std::size_t) {
    void* at = nullptr;
    cuda::check(cudaMalloc(&at, bytes));
    return at;
  }
  void deallocate(void* at, std::size_t, std::size_t) { cudaFree(at); }
  void* allocate_async(std::size_t bytes, std::size_t alignment, ::cuda::stream_ref stream) {
    EXPECT_EQ(alignment, 256U);
    ++given;
    void* at = nullptr;
    cuda::check(cudaMallocAsync(&at, bytes, stream.get()));
    return at;
  }
  void deallocate_async(void* at, std::size_t, std::size_t, ::cuda::stream_ref stream) {
    ++taken_back;
    cudaFreeAsync(at, stream.get());
  }
  bool operator==(const pool& other) const { return this == &other; }
  bool operator!=(const pool& other) const { return this != &other; }
  friend void get_property(const pool&, ::cuda::mr::device_accessible) noexcept {}
};
static_assert(::cuda::mr::async_resource_with<pool, ::cuda::mr::device_accessible>);
#endif

namespace {

struct squares {
  using value_type = float;
  using accumulator = double;
  MULTIFOLD_HD double identity() const { return 0; }
  MULTIFOLD_HD double lift(float x, std::int64_t) const { return double{x} * x; }
  MULTIFOLD_HD double combine(double a, double b) const { return a + b; }
  MULTIFOLD_HD double lower(double sum, std::int64_t) const { return sum; }
};

class cuda_environment : public device_environment {};

TEST_F(cuda_environment, folds_take_their_workspace_from_it) {
  const auto* const x = on_device(std::vector<float>(1 << 20, 0.5f));
  const plan p = cuda::make_fold_plan(squares{}, make_view(x, {4, 1 << 18}, place::device), {1});
  counting_resource memory;
  const cuda::environment env{stream(), memory.as_resource(), word()};
  cuda::fold_async(p, squares{}, x, static_cast<double*>(results()), env);
  memory.expect_used_once(p.workspace_bytes(), stream());
  EXPECT_EQ(cuda::status_of(env), status::ok);
  EXPECT_EQ(found<double>(4), std::vector<double>(4, 65536));
}

TEST_F(cuda_environment, streams_of_libcudacxx_are_streams) {
  const ::cuda::stream_ref ref(stream());
  EXPECT_EQ(cuda::environment{ref}.stream.get(), stream());
  const auto* const x = on_device(tenths(1000));
  cuda::reduce_async(op_kind::sum, make_view(x, {1000}, place::device), results(), {ref});
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
}

#if CCCL_VERSION < 3001000
TEST_F(cuda_environment, resources_of_libcudacxx_are_resources) {
  const auto* const x = on_device(tenths(1000));
  const array_view view = make_view(x, {1000}, place::device);
  pool mine;
  cuda::reduce_async(op_kind::sum, view, results(), {stream(), cuda::memory_of(mine)});
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
  ::cuda::mr::async_resource_ref<::cuda::mr::device_accessible> ref = mine;
  cuda::check(cudaMemsetAsync(results(), poison, 4, stream()));
  cuda::reduce_async(op_kind::sum, view, results(), {stream(), cuda::memory_of(ref)});
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
  EXPECT_EQ(mine.given, 2);
  EXPECT_EQ(mine.taken_back, 2);
}
#endif

}  // namespace
}  // namespace multifold::device_tests
