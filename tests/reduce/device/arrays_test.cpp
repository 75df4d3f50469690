// The API over arrays in pinned memory: how they come to the GPU, and what the result says of it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/multifold.hpp"
#include "multifold/trace.hpp"

namespace multifold {
namespace {

constexpr std::int64_t rows = 200'000, columns = 16;

class device_arrays : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    pinned_ = cuda::pinned_buffer(rows * columns * 4);
    std::vector<float> x(rows * columns);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i % 977 + 1);
    std::memcpy(pinned_.data(), x.data(), x.size() * 4);
  }

  array_view view() const { return make_view(pinned_.data(), dtype::f32, {rows, columns}); }

  static reduce_options on(engine_choice engine) {
    reduce_options options;
    options.engine = engine;
    return options;
  }

  cuda::pinned_buffer pinned_;
};

TEST_F(device_arrays, in_pinned_memory_come_every_way) {
  for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
    for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::std}) {
      reduce_options options = on(engine_choice::host);
      options.axes = reduced;
      const reduce_result expected = reduce(op, view(), options);
      options.engine = engine_choice::device;
      EXPECT_EQ(reduce(op, view(), options).way, transfer::copy);
      for (const transfer way : {transfer::staged, transfer::copy, transfer::mapped}) {
        options.way = way;
        const reduce_result got = reduce(op, view(), options);
        EXPECT_EQ(got.way, way);
        EXPECT_EQ(got.note, "");
        EXPECT_EQ(got.count, rows * columns);
        EXPECT_EQ(got.data, expected.data) << name(op) << ", " << name(way);
      }
    }
  }
}

TEST_F(device_arrays, results_go_to_memory_of_the_caller) {
  reduce_options options = on(engine_choice::host);
  options.axes = {1};
  const reduce_result expected = reduce(op_kind::sum, view(), options);
  options.engine = engine_choice::device;
  const cuda::pinned_buffer pinned(rows * 4);
  std::vector<std::byte> pageable(rows * 4);
  for (const std::span<std::byte> into : {pinned.bytes(), std::span(pageable)}) {
    options.into = into;
    EXPECT_TRUE(reduce(op_kind::sum, view(), options).data.empty());
    EXPECT_EQ(std::memcmp(into.data(), expected.data.data(), into.size()), 0);
  }
}

TEST_F(device_arrays, keep_states_every_way) {
  reduce_options options = on(engine_choice::host);
  options.keep_state = true;
  const reduce_result expected = reduce(op_kind::sum, view(), options);
  options.engine = engine_choice::device;
  for (const transfer way : {transfer::staged, transfer::copy, transfer::mapped}) {
    options.way = way;
    const reduce_result got = reduce(op_kind::sum, view(), options);
    EXPECT_EQ(got.data, expected.data) << name(way);
    EXPECT_EQ(got.state, expected.state) << name(way);
  }
}

TEST_F(device_arrays, are_told_of_to_the_trace) {
  std::atomic<std::int64_t> copied{0}, reduced{0}, back{0};
  reduce_options options = on(engine_choice::device);
  options.axes = {{1}};
  options.trace = [&](const trace_event& event) {
    if (event.kind == trace_kind::copy) copied += event.bytes;
    if (event.kind == trace_kind::reduce) reduced += event.bytes;
    if (event.kind == trace_kind::copy_back) back += event.bytes;
  };
  reduce(op_kind::sum, view(), options);
  EXPECT_EQ(copied, rows * columns * 4);
  EXPECT_EQ(reduced, rows * columns * 4);
  EXPECT_EQ(back, rows * 4);
}

TEST_F(device_arrays, stop_when_they_are_told_to) {
  std::stop_source stop;
  stop.request_stop();
  reduce_options options = on(engine_choice::device);
  options.stop = stop.get_token();
  for (const transfer way : {transfer::staged, transfer::copy, transfer::mapped}) {
    options.way = way;
    EXPECT_THROW(reduce(op_kind::sum, view(), options), cancelled_error);
  }
}

}  // namespace
}  // namespace multifold
