// What CUDA's last error is after errors: those of the library's calls are exceptions, and nothing else; a user's own
// stay where they are, and are not the library's.
#include "graphs/device/problems.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph_cache.hpp"

namespace multifold::graphs_tests {
namespace {

class errors : public device_tests::device_test {};

constexpr int no_such_device = 9999;

TEST_F(errors, that_are_thrown_are_not_left_behind) {
  EXPECT_THROW(cuda::check(cudaSetDevice(no_such_device)), cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_THROW(cuda::device_buffer(INT64_C(1) << 50), out_of_memory);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_THROW(cuda::device_traits(no_such_device), cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(errors, of_captures_that_were_broken_are_not_left_behind) {
  const cuda::stream stream;
  {
    const graphs::capture_scope scope(stream.get());
    EXPECT_THROW(stream.synchronise(), cuda_error);
  }
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  graphs::capture_scope scope(stream.get());
  EXPECT_THROW(stream.synchronise(), cuda_error);
  EXPECT_THROW(scope.end(), cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(errors, of_the_user_s_own_stay_and_are_not_taken_for_others) {
  random_engine rng(1);
  const plan p = problem{op_kind::sum, dtype::f32, {200'003}, {0}}.made();
  const drawn_arrays drawn(p, rng);
  const device_arrays arrays(drawn);
  const device_results results(p);
  const cuda::device_buffer workspace(p.workspace_bytes());
  const cuda::stream stream;
  graphs::graph_cache cache;
  std::vector<std::byte> found(4);
  ASSERT_NE(cudaSetDevice(no_such_device), cudaSuccess);
  EXPECT_NO_THROW({
    cuda::reduce_async(p, arrays.data(), results.data(), workspace.bytes(), stream.get());
    stream.synchronise();
    for (int i = 0; i < 3; ++i) cache.run(p, arrays.data(), found.data());
    const cuda::event event;
    event.record(stream.get());
    event.synchronise();
    EXPECT_TRUE(event.is_done());
  });
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_THROW(cuda::check(cudaErrorInvalidValue), cuda_error);  // of another call, which left something else
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(results.read(), device_tests::run_interpreted(p, drawn.host()));
}

}  // namespace
}  // namespace multifold::graphs_tests
