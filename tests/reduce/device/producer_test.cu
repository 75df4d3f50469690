// reduce() begins after what is on the stream that it is told of: arrays are written late, by a kernel that spins.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "device/device_fixture.hpp"
#include "device/device_producer.cuh"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/multifold.hpp"

namespace multifold {
namespace {

using device_tests::late_bytes;
using std::chrono::milliseconds;

constexpr std::int64_t rows = 1'000, columns = 70, bytes = rows * columns * 4;
constexpr milliseconds long_time{30};

// Memory that both sides can use.
struct managed_memory {
  static constexpr const char* name = "managed";
  static cudaError_t allocate(void** data, std::size_t some) { return cudaMallocManaged(data, some); }
  static void release(void* data, std::size_t) { cudaFree(data); }
};
using managed_buffer = cuda::buffer<managed_memory>;

class reduce_producers : public device_tests::device_test {
 protected:
  reduce_producers() : x_(rows * columns), y_(rows * columns) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = 1.0f / static_cast<float>(i % 977 + 1);
      y_[i] = static_cast<float>(i % 13) - 5.0f;
    }
  }

  static array_view view(const void* data, place where) { return make_view(data, dtype::f32, {rows, columns}, where); }

  std::vector<std::byte> expected(op_kind op, reduce_options options) const {
    options.engine = engine_choice::host;
    options.stream = nullptr;
    const array_view x = view(x_.data(), place::host), y = view(y_.data(), place::host);
    return takes_two_arrays(op) ? reduce(op, x, y, options).data : reduce(op, x, options).data;
  }

  // Several times, for problems that come again have graphs.
  template <class Memory>
  void expect_waits(place where, engine_choice engine, cudaStream_t written_on, cudaStream_t named) {
    const Memory x(bytes), y(bytes);
    const late_bytes late_x(std::as_bytes(std::span(x_)), x.bytes()), late_y(std::as_bytes(std::span(y_)), y.bytes());
    for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
      for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::std, op_kind::dot}) {
        reduce_options options;
        options.axes = reduced;
        options.engine = engine;
        options.stream = named;
        for (int again = 0; again < 3; ++again) {
          late_x.forget();
          late_y.forget();
          late_x.write(written_on, long_time);
          late_y.write(written_on, milliseconds(0));
          const array_view first = view(x.data(), where), second = view(y.data(), where);
          const reduce_result got =
              takes_two_arrays(op) ? reduce(op, first, second, options) : reduce(op, first, options);
          EXPECT_EQ(got.data, expected(op, options)) << name(op) << ", " << name(engine);
        }
      }
    }
    reduce_options state;
    state.keep_state = true;
    state.engine = engine;
    state.stream = named;
    late_x.forget();
    late_x.write(written_on, long_time);
    EXPECT_EQ(reduce(op_kind::sum, view(x.data(), where), state).data, expected(op_kind::sum, state));
  }

  std::vector<float> x_, y_;
};

TEST_F(reduce_producers, of_device_memory_are_waited_for_on_the_stream_that_is_named) {
  const cuda::stream stream;
  expect_waits<cuda::device_buffer>(place::device, engine_choice::automatic, stream.get(), stream.get());
  expect_waits<managed_buffer>(place::device, engine_choice::device, stream.get(), stream.get());
}

TEST_F(reduce_producers, of_device_memory_are_waited_for_on_the_default_stream_unless_another_is_named) {
  expect_waits<cuda::device_buffer>(place::device, engine_choice::device, cudaStreamLegacy, nullptr);
  cudaStream_t blocking = nullptr;
  cuda::check(cudaStreamCreate(&blocking));
  expect_waits<cuda::device_buffer>(place::device, engine_choice::device, blocking, nullptr);
  cuda::check(cudaStreamDestroy(blocking));
}

TEST_F(reduce_producers, of_host_memory_are_waited_for_on_the_stream_that_is_named) {
  const cuda::stream stream;
  for (const engine_choice engine : {engine_choice::host, engine_choice::device, engine_choice::both}) {
    expect_waits<cuda::pinned_buffer>(place::host, engine, stream.get(), stream.get());
    expect_waits<managed_buffer>(place::host, engine, stream.get(), stream.get());
  }
}

TEST_F(reduce_producers, that_are_being_captured_are_refused_and_left_alone) {
  const cuda::device_buffer x(bytes);
  const cuda::pinned_buffer pinned(bytes);
  const cuda::stream stream;
  graphs::capture_scope scope(stream.get());
  reduce_options options;
  options.stream = stream.get();
  EXPECT_THROW(reduce(op_kind::sum, view(x.data(), place::device), options), unsupported_error);
  EXPECT_THROW(reduce(op_kind::sum, view(pinned.data(), place::host), options), unsupported_error);
  EXPECT_TRUE(graphs::is_being_captured(stream.get()));
  EXPECT_TRUE(graphs::topology_of(scope.end().get()).nodes.empty());
}

// The default stream waits for such a stream, and CUDA would break the capture.
TEST_F(reduce_producers, on_the_default_stream_are_not_waited_for_while_a_stream_that_it_waits_for_is_captured) {
  const cuda::device_buffer x(bytes);
  const late_bytes late(std::as_bytes(std::span(x_)), x.bytes());
  late.forget();
  const cuda::stream other;
  late.write(other.get(), milliseconds(0));
  other.synchronise();
  cudaStream_t blocking = nullptr;
  cuda::check(cudaStreamCreate(&blocking));
  {
    graphs::capture_scope scope(blocking);
    EXPECT_THROW(reduce(op_kind::sum, view(x.data(), place::device)), unsupported_error);
    reduce_options options;
    options.stream = other.get();
    EXPECT_EQ(reduce(op_kind::sum, view(x.data(), place::device), options).data, expected(op_kind::sum, {}));
    EXPECT_TRUE(graphs::is_being_captured(blocking));
    EXPECT_TRUE(graphs::topology_of(scope.end().get()).nodes.empty());
  }
  cuda::check(cudaStreamDestroy(blocking));
}

// In every mode: CUDA lets others neither allocate nor ask for events while somebody captures in global mode.
TEST_F(reduce_producers, may_be_anybody_s_while_another_thread_captures) {
  const cuda::device_buffer on_device(bytes), result(4);
  const cuda::pinned_buffer pinned(bytes);
  std::memcpy(pinned.data(), x_.data(), bytes);
  cuda::check(cudaMemcpy(on_device.data(), x_.data(), bytes, cudaMemcpyHostToDevice));
  cuda::check(cudaDeviceSynchronize());
  const std::vector<std::byte> sum = expected(op_kind::sum, {});
  const plan p = plan_for(op_kind::sum, view(on_device.data(), place::device));
  const cuda::device_buffer workspace(p.workspace_bytes());
  const cuda::stream stream;
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    std::atomic<int> begun{0}, wrong{0};
    std::atomic<bool> captured{false};
    const auto others = [&](const array_view& array, engine_choice engine) {
      reduce_options options;
      options.engine = engine;
      const cuda::stream mine;
      options.stream = mine.get();
      for (int i = 0; i < 10 || !captured; ++i) {
        try {
          if (reduce(op_kind::sum, array, options).data != sum) ++wrong;
        } catch (const error& problem) {
          ADD_FAILURE() << problem.what();
          ++wrong;
        }
        if (i == 0) ++begun;
        if (wrong > 3) break;
      }
    };
    std::vector<std::thread> threads;
    threads.emplace_back(others, view(on_device.data(), place::device), engine_choice::device);
    threads.emplace_back(others, view(pinned.data(), place::host), engine_choice::device);
    threads.emplace_back(others, view(pinned.data(), place::host), engine_choice::both);
    threads.emplace_back(others, view(x_.data(), place::host), engine_choice::device);
    while (begun < 4) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) {
      cuda::check(cudaStreamBeginCapture(stream.get(), mode));
      cuda::reduce_async(p, on_device.data(), result.data(), workspace.bytes(), stream.get());
      std::this_thread::sleep_for(milliseconds(5));
      cudaGraph_t made = nullptr;
      EXPECT_EQ(cudaStreamEndCapture(stream.get(), &made), cudaSuccess) << "somebody broke the capture";
      cuda::forget(cudaPeekAtLastError());
      if (made == nullptr) break;
      const graphs::executable exec{graphs::graph(made)};
      exec.launch(stream.get());
      float found = 0;
      cuda::check(cudaMemcpyAsync(&found, result.data(), sizeof found, cudaMemcpyDeviceToHost, stream.get()));
      stream.synchronise();
      EXPECT_EQ(std::memcmp(&found, sum.data(), sizeof found), 0);
    }
    captured = true;
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace multifold
