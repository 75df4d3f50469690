// A GPU that breaks while it shares an array with the CPU: at any call, and the result is right nevertheless.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "host/engine.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/trace.hpp"
#include "simulated_gpu.hpp"
#include "stream/device/problem.hpp"
#include "stream/device/sharing.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::problem;

class device_sharing_faults : public ::testing::Test {
 protected:
  void TearDown() override { simulated::repair(); }
};

struct shared_problem {
  shared_problem(const problem& shape, bool pinned)
      : p(shape.plan_of(op_kind::sum)),
        x(shape.layout, test::small_numbers(shape.layout.type, shape.elements(), 3)),
        input(x) {
    options.threads = 3;
    // Time for the GPU.
    options.trace = [](const trace_event& e) {
      if (e.kind == trace_kind::reduce && e.worker >= 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    expected.resize(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)));
    host::run(make_plan(p.what, p.form, {}, host::traits(1)), x.data(), expected.data());
    if (!pinned) return;
    const std::int64_t bytes = shape.elements() * item_bytes(shape.layout.type);
    copy = cuda::pinned_buffer(bytes);
    std::memcpy(copy.data(), x.data(), static_cast<std::size_t>(bytes));
    input.memory = copy.data();
  }

  stream::streamed run() {
    std::vector<std::byte> got(expected.size(), std::byte{0xa5});
    const stream::streamed done = stream::run_shared(p, input, got.data(), options);
    EXPECT_EQ(got, expected);
    EXPECT_EQ(done.elements, p.form.elements());
    return done;
  }

  const plan p;
  test::memory_source x;
  cuda::pinned_buffer copy;
  stream::inputs input;
  stream::host_options options;
  std::vector<std::byte> expected;
};

TEST_F(device_sharing_faults, the_cpu_does_the_rest) {
  int failed = 0;
  for (const problem& shape : {problem(dtype::f32, {2'500'001}, {0}), problem(dtype::f32, {30'001, 70}, {1}),
                               problem(dtype::i16, {5, 400'001}, {1})}) {
    for (const bool pinned : {true, false}) {
      simulated::repair();
      shared_problem x(shape, pinned);
      simulated::repair();
      EXPECT_EQ(x.run().note, "");
      const std::int64_t all = simulated::calls();
      for (const std::int64_t call : {std::int64_t{0}, std::int64_t{4}, all / 4, all / 2, 3 * all / 4, all - 1}) {
        simulated::repair();
        simulated::break_at(call);
        const stream::streamed done = x.run();
        failed += simulated::calls() > call;
        EXPECT_EQ(done.note.find("the GPU failed (") == 0, !done.note.empty());
        EXPECT_TRUE(done.note.empty() || done.on_device == 0);
        EXPECT_TRUE(call > 0 || !done.note.empty());
      }
    }
  }
  EXPECT_GT(failed, 12);
}

TEST_F(device_sharing_faults, errors_of_the_source_count_beside_those_of_the_gpu) {
  const problem shape(dtype::f32, {2'500'001}, {0});
  test::behaviour how;
  how.fails_at = 2'400'000;
  test::memory_source x(shape.layout, test::small_numbers(dtype::f32, shape.elements(), 3), how);
  float result = 0;
  simulated::repair();
  simulated::break_at(40);
  EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::sum), x, &result, {}), io_error);
}

TEST_F(device_sharing_faults, a_gpu_without_memory_is_none) {
  std::vector<cuda::device_buffer> all;  // that earlier reductions have left
  for (auto bytes = static_cast<std::int64_t>(simulated::device_bytes); bytes >= 64 << 10;) {
    try {
      all.emplace_back(bytes);
    } catch (const out_of_memory&) {
      bytes /= 2;
    }
  }
  const problem shape(dtype::f32, {2'500'001}, {0});
  shared_problem x(shape, true);
  EXPECT_EQ(x.run().note.find("the GPU failed ("), 0u);
}

}  // namespace
}  // namespace multifold
