// Workspaces that are nodes of a graph: calls in an environment on a stream that is being captured.
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "device/environment/fixture.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

using cuda::environment;

class captured_environment : public device_environment {
 protected:
  void SetUp() override {
    device_environment::SetUp();
    if (IsSkipped()) return;
    int has_pools = 0;
    cuda::check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0));
    if (has_pools == 0) GTEST_SKIP() << "no pools of memory here";
  }
  void TearDown() override {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    device_environment::TearDown();
  }

  template <class Work>
  void capture(const Work& work) {
    cudaGraph_t graph = nullptr;
    cuda::check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    work();
    cuda::check(cudaStreamEndCapture(stream(), &graph));
    cuda::check(cudaGraphInstantiate(&executable_, graph, 0));
    cuda::check(cudaGraphDestroy(graph));
  }
  void launch() { cuda::check(cudaGraphLaunch(executable_, stream())); }

  template <class T>
  void rewrite(const T* there, const std::vector<T>& values) {
    cuda::check(cudaMemcpyAsync(const_cast<T*>(there), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice,
                                stream()));
  }

  cudaGraphExec_t executable_ = nullptr;
};

TEST_F(captured_environment, reductions_are_launched_again_with_new_data) {
  const auto* const x = on_device(std::vector<std::int64_t>(3000, 1));
  const plan p = plan_of(op_kind::sum, make_view(x, {3000}, place::device));
  capture([&] { cuda::reduce_async(p, x, results(), with_word()); });
  for (const std::int64_t each : {std::int64_t{1}, std::int64_t{-7}, INT64_MAX, std::int64_t{3}}) {
    rewrite(x, std::vector<std::int64_t>(3000, each));
    poison_word();
    launch();
    const bool fits = each != INT64_MAX;
    EXPECT_EQ(cuda::status_of(with_word()), fits ? status::ok : status::overflow);
    if (fits) {
      EXPECT_EQ(found<std::int64_t>(1), std::vector<std::int64_t>{3000 * each});
    }
  }
}

// Each workspace is free for the next call; launches without a wait between them use theirs one after the other.
TEST_F(captured_environment, calls_of_one_graph_share_memory) {
  constexpr std::int64_t count = 1 << 20;
  const auto* const x = on_device(tenths(count));
  const array_view view = make_view(x, {count}, place::device);
  const plan sum = plan_of(op_kind::sum, view), greatest = plan_of(op_kind::argmax, view);
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const cuda::device_segments halves{on_device<std::int64_t>({0, count / 2, count}), dtype::i64, 2};
  std::vector<std::int32_t> odd(count);
  for (std::int64_t i = 0; i < count; ++i) odd[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i % 2);
  const cuda::device_keys groups{on_device(odd), dtype::i32, 2, false};
  const auto enqueue = [&] {
    auto* const to = static_cast<std::byte*>(results());
    cuda::reduce_async(sum, x, to, {stream()});
    cuda::reduce_async(greatest, x, to + 8, {stream()});
    cuda::reduce_segments_async(what, x, count, halves, to + 16, {stream()});
    cuda::reduce_by_key_async(what, x, count, groups, to + 24, {stream()});
    cuda::reduce_by_key_async(make_reduction(op_kind::max, dtype::f32), x, count, groups, to + 32, {stream()});
  };
  cuda::check(cudaMemsetAsync(results(), 0, 40, stream()));
  enqueue();
  const auto expected = found<float>(10);
  EXPECT_EQ(expected[0], 104857.6f);
  EXPECT_EQ(expected[4], 52428.8f);
  EXPECT_EQ(expected[5], 52428.8f);
  EXPECT_EQ(expected[6], 52428.8f);
  EXPECT_EQ(expected[8], 0.1f);
  capture(enqueue);
  for (int i = 0; i < 5; ++i) {
    cuda::check(cudaMemsetAsync(results(), poison, 40, stream()));
    for (int again = 0; again < 3; ++again) launch();
    const auto again = found<float>(10);
    for (const std::size_t at : {0, 2, 3, 4, 5, 6, 7, 8, 9}) EXPECT_EQ(again[at], expected[at]) << at;
  }
}

TEST_F(captured_environment, a_count_is_read_when_the_graph_runs) {
  const auto* const x = on_device(tenths(5000));
  const auto* const count = on_device<std::int64_t>({0});
  const plan p = plan_of(op_kind::sum, make_view(x, {5000}, place::device));
  capture([&] { cuda::reduce_counted_async(p, x, count, results(), with_word()); });
  for (const std::int64_t n : {10, 5000, 0, 5001, 1000}) {
    rewrite(count, {n});
    launch();
    const bool fits = n <= 5000;
    EXPECT_EQ(cuda::status_of(with_word()), fits ? status::ok : status::bad_count);
    if (fits) {
      EXPECT_EQ(found<float>(1)[0], static_cast<float>(0.1f * static_cast<double>(n)));
    }
  }
}

TEST_F(captured_environment, a_pool_of_the_caller_s_is_one) {
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  cuda::check(cudaMemPoolCreate(&pool, &props));
  const auto* const x = on_device(tenths(1000));
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  const environment env{stream(), cuda::pool_memory(pool), word()};
  cuda::reduce_async(p, x, results(), env);
  EXPECT_EQ(cuda::status_of(env), status::ok);
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
  std::uint64_t most = 0;
  cuda::check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
  EXPECT_GE(most, static_cast<std::uint64_t>(p.workspace_bytes()));
  cuda::check(cudaMemPoolDestroy(pool));
}

// In the mode that forbids all threads to allocate at once.
TEST_F(captured_environment, calls_of_other_threads_break_no_capture) {
  const auto* const x = on_device(tenths(1000));
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  const cuda::stream captured;
  const cuda::device_buffer beside(256);
  cudaGraph_t graph = nullptr;
  cuda::check(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal));
  cuda::reduce_async(p, x, beside.data(), {captured});
  std::string problem;
  std::thread([&] {
    try {
      for (const cuda::memory_resource memory : {cuda::default_memory(), cuda::plain_memory()}) {
        cuda::reduce_async(p, x, results(), {stream(), memory, word()});
      }
    } catch (const std::exception& e) {
      problem = e.what();
    }
  }).join();
  EXPECT_EQ(problem, "");
  cuda::check(cudaStreamEndCapture(captured.get(), &graph));
  cuda::check(cudaGraphInstantiate(&executable_, graph, 0));
  cuda::check(cudaGraphDestroy(graph));
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
  cuda::check(cudaMemsetAsync(results(), poison, 4, stream()));
  launch();
  cuda::check(cudaMemcpyAsync(results(), beside.data(), 4, cudaMemcpyDeviceToDevice, stream()));
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
}

TEST_F(captured_environment, memory_of_cuda_malloc_is_refused_and_breaks_no_capture) {
  const auto* const x = on_device(tenths(1000));
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  capture([&] {
    EXPECT_THROW(cuda::reduce_async(p, x, results(), {stream(), cuda::plain_memory()}), unsupported_error);
    cuda::reduce_async(p, x, results(), {stream()});
  });
  launch();
  EXPECT_EQ(found<float>(1), std::vector<float>{100});
}

}  // namespace
}  // namespace multifold::device_tests
