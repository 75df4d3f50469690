// One thread captures reductions, others reduce meanwhile, every way that there is: neither breaks the other, and all
// results are those of the CPU.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/multifold.hpp"

namespace multifold {
namespace {

constexpr std::int64_t rows = 300, columns = 5000;
constexpr int captures = 60;

class device_capture_beside : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    x_.resize(rows * columns);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = 1.0f / static_cast<float>(i % 977 + 1);
    there_ = cuda::device_buffer(bytes());
    pinned_ = cuda::pinned_buffer(bytes());
    cuda::check(cudaMemcpy(there_.data(), x_.data(), x_.size() * 4, cudaMemcpyHostToDevice));
    std::memcpy(pinned_.data(), x_.data(), x_.size() * 4);
  }

  static std::int64_t bytes() { return rows * columns * 4; }
  static array_view view_of(const void* data, place where = place::host) {
    return make_view(data, dtype::f32, {rows, columns}, where);
  }
  std::vector<std::byte> expected(op_kind op, const std::vector<std::int64_t>& axes) const {
    reduce_options options;
    options.engine = engine_choice::host;
    options.axes = axes;
    return reduce(op, view_of(x_.data()), options).data;
  }

  std::vector<float> x_;
  cuda::device_buffer there_;
  cuda::pinned_buffer pinned_;
};

TEST_F(device_capture_beside, neither_breaks_the_other) {
  struct way {
    const char* name;
    const void* data;
    place where;
    engine_choice engine;
  };
  const std::vector<way> ways{{"device memory", there_.data(), place::device, engine_choice::device},
                              {"pageable memory", x_.data(), place::host, engine_choice::device},
                              {"pinned memory", pinned_.data(), place::host, engine_choice::device},
                              {"both engines", x_.data(), place::host, engine_choice::both}};
  const std::vector<op_kind> ops{op_kind::sum, op_kind::argmax, op_kind::var};
  std::atomic<bool> done{false};
  std::atomic<int> reduced{0};
  std::vector<std::string> problems(ways.size());  // of each thread
  const auto reduce_again_and_again = [&](std::size_t which) {
    try {
      for (int turn = 0; !done; ++turn) {
        const op_kind op = ops[static_cast<std::size_t>(turn) % ops.size()];
        reduce_options options;
        options.engine = ways[which].engine;
        options.axes = {turn % 2};
        options.threads = 2;
        const reduce_result got = reduce(op, view_of(ways[which].data, ways[which].where), options);
        if (got.data != expected(op, options.axes.list())) problems[which] = std::string(name(op)) + " is another";
        ++reduced;
      }
    } catch (const std::exception& problem) {
      problems[which] = problem.what();
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < ways.size(); ++i) threads.emplace_back(reduce_again_and_again, i);
  struct set_at_exit {  // a capture that throws ends the threads, too
    std::atomic<bool>& flag;
    ~set_at_exit() { flag = true; }
  } const end{done};
  for (int turn = 0; turn < captures; ++turn) {
    const op_kind op = ops[static_cast<std::size_t>(turn) % ops.size()];
    const std::vector<std::int64_t> axes{turn / 3 % 2};
    reduce_options options;
    options.engine = engine_choice::device;
    options.axes = axes;
    const plan p = plan_for(op, view_of(there_.data(), place::device), options);
    const cuda::stream stream;
    const cuda::device_buffer results(p.form.results() * result_bytes(p.what)), workspace(p.workspace_bytes());
    graphs::capture_scope scope(stream.get());
    cuda::reduce_async(p, there_.data(), results.data(), workspace.bytes(), stream.get());
    if (turn % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the others get to every call
    cuda::reduce_async(p, there_.data(), results.data(), workspace.bytes(), stream.get());
    graphs::graph captured = scope.end();
    cudaGraphExec_t exec = nullptr;
    cuda::check(cudaGraphInstantiate(&exec, captured.get(), 0));
    std::vector<std::byte> got(static_cast<std::size_t>(results.size()));
    cuda::check(cudaGraphLaunch(exec, stream.get()));
    cuda::check(cudaMemcpyAsync(got.data(), results.data(), got.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronise();
    cuda::check(cudaGraphExecDestroy(exec));
    EXPECT_EQ(got, expected(op, axes)) << name(op) << ", capture " << turn;
  }
  done = true;
  threads.clear();
  for (std::size_t i = 0; i < ways.size(); ++i) EXPECT_EQ(problems[i], "") << ways[i].name;
  EXPECT_GT(reduced, static_cast<int>(ways.size()));
}

}  // namespace
}  // namespace multifold
