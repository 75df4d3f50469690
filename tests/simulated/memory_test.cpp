// What a result says that it took on its way, beside what was allocated: to the byte.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/reduce.hpp"
#include "simulated_gpu.hpp"

namespace multifold {
namespace {

using simulated::memory;

class device_memory_taken : public ::testing::Test {
 protected:
  void expect_told(op_kind op, const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& axes,
                   transfer way, engine_choice engine = engine_choice::device) {
    SCOPED_TRACE(std::string(name(op)) + " over " + to_string(axes) + " of " + to_string(extents) + ", " +
                 std::string(name(way)) + ", engine " + std::string(name(engine)));
    const cuda::pinned_buffer array(element_count(extents) * 4);
    auto* const x = reinterpret_cast<float*>(array.data());
    std::iota(x, x + element_count(extents), -1.0f);
    reduce_options options;
    options.engine = engine;
    options.axes = axes;
    options.way = way;
    options.threads = 3;
    options.memory_bytes = INT64_C(24) << 20;
    const std::int64_t pinned = simulated::bytes_now(memory::pinned), device = simulated::bytes_now(memory::device);
    simulated::forget_most_bytes();
    const reduce_result result = reduce(op, make_view(static_cast<const float*>(x), extents), options);
    EXPECT_EQ(result.memory.pinned_bytes, simulated::most_bytes(memory::pinned) - pinned);
    EXPECT_EQ(result.memory.device_bytes, simulated::most_bytes(memory::device) - device);
    // The CPU may have done everything before a GPU was opened.
    EXPECT_GE(result.memory.slots, engine == engine_choice::device ? 1 : 0);
    EXPECT_EQ(simulated::bytes_now(memory::pinned), pinned);
    EXPECT_EQ(simulated::bytes_now(memory::device), device);
  }
};

TEST_F(device_memory_taken, is_what_the_result_says) {
  for (const transfer way : {transfer::staged, transfer::copy, transfer::mapped}) {
    expect_told(op_kind::sum, {5'000'003}, {0}, way);
    expect_told(op_kind::sum, {300'000, 16}, {1}, way);
    expect_told(op_kind::sum, {1'500'000, 2}, {1}, way);
    expect_told(op_kind::max, {5'000, 1000}, {0}, way);
    expect_told(op_kind::var, {3'000'000}, {0}, way);
    expect_told(op_kind::sum, {77}, {0}, way);
  }
  expect_told(op_kind::sum, {5'000'003}, {0}, transfer::staged, engine_choice::both);
  expect_told(op_kind::sum, {300'000, 16}, {1}, transfer::copy, engine_choice::both);
}

TEST(device_memory_without_pools, comes_at_once_and_is_waited_for) {
  simulated::has_pools = false;
  const cuda::stream stream;
  const std::int64_t before = simulated::bytes_now(memory::device);
  bool worked = false;
  {
    const cuda::stream_workspace space(1000, {stream});
    EXPECT_EQ(simulated::bytes_now(memory::device), before + 1000);
    simulated::enqueue(stream.get(), [&] { worked = true; });
  }
  EXPECT_TRUE(worked);
  EXPECT_EQ(simulated::bytes_now(memory::device), before);
  simulated::has_pools = true;
}

}  // namespace
}  // namespace multifold
