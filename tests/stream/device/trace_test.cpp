// What the pipeline of a GPU tells of itself: every byte on every lane once, at times that can be.
#include "multifold/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "stream/device/problem.hpp"
#include "stream/device/stream.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::problem;
using clock = std::chrono::steady_clock;

struct told {
  std::map<trace_kind, std::vector<trace_event>> lanes;
  std::mutex mutex;

  trace_sink sink() {
    return [this](const trace_event& event) {
      const std::scoped_lock lock(mutex);
      lanes[event.kind].push_back(event);
    };
  }
  std::int64_t bytes(trace_kind kind) {
    std::int64_t sum = 0;
    for (const trace_event& e : lanes[kind]) sum += e.bytes;
    return sum;
  }
};

class device_trace : public test::needs_device {
 protected:
  void run(const problem& shape, transfer way) {
    const plan p = shape.plan_of(op_kind::sum);
    const std::vector<std::byte> x = test::small_numbers(shape.layout.type, shape.elements(), 3);
    cuda::pinned_buffer pinned(static_cast<std::int64_t>(x.size()));
    std::copy(x.begin(), x.end(), pinned.data());
    test::memory_source source(shape.layout, x);
    stream::inputs input(source);
    input.memory = pinned.data();
    std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)));
    stream::host_options options;
    options.memory_bytes = INT64_C(16) << 20;
    options.threads = 3;
    options.way = way;
    options.trace = what_.sink();
    started_ = clock::now();
    stream::run_device(p, input, results.data(), options);
    ended_ = clock::now();
    EXPECT_EQ(results, test::interpreted(p, x.data()));
  }

  // On a lane of the GPU one thing follows the other.
  void expect_a_lane(trace_kind kind, std::int64_t bytes) {
    constexpr std::chrono::microseconds error(200);
    EXPECT_EQ(what_.bytes(kind), bytes);
    std::vector<trace_event>& lane = what_.lanes[kind];
    std::sort(lane.begin(), lane.end(), [](const trace_event& a, const trace_event& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < lane.size(); ++i) {
      EXPECT_EQ(lane[i].worker, -1);
      EXPECT_LE(lane[i].start, lane[i].end);
      EXPECT_GE(lane[i].start, started_ - error);
      EXPECT_LE(lane[i].end, ended_ + error);
      if (i == 0) continue;
      EXPECT_GE(lane[i].chunk, lane[i - 1].chunk);
    }
  }

  told what_;
  clock::time_point started_, ended_;
};

const problem rows(dtype::f32, {500'000, 16}, {1});

TEST_F(device_trace, tells_of_reading_copying_reducing_and_copying_back) {
  run(rows, transfer::staged);
  const std::int64_t bytes = rows.elements() * 4;
  EXPECT_EQ(what_.bytes(trace_kind::read), bytes);
  for (const trace_event& e : what_.lanes[trace_kind::read]) EXPECT_GE(e.worker, 0);
  expect_a_lane(trace_kind::copy, bytes);
  expect_a_lane(trace_kind::reduce, bytes);
  expect_a_lane(trace_kind::copy_back, bytes / 16);
}

TEST_F(device_trace, copies_out_of_pinned_memory_are_not_read_before) {
  run(rows, transfer::copy);
  EXPECT_TRUE(what_.lanes[trace_kind::read].empty());
  expect_a_lane(trace_kind::copy, rows.elements() * 4);
  expect_a_lane(trace_kind::reduce, rows.elements() * 4);
}

TEST_F(device_trace, mapped_arrays_are_not_copied) {
  run(rows, transfer::mapped);
  EXPECT_TRUE(what_.lanes[trace_kind::read].empty());
  EXPECT_TRUE(what_.lanes[trace_kind::copy].empty());
  expect_a_lane(trace_kind::reduce, rows.elements() * 4);
  expect_a_lane(trace_kind::copy_back, rows.elements() / 16 * 4);
}

TEST_F(device_trace, tells_of_results_that_a_slot_has_no_room_for) {
  const problem many(dtype::u8, {4'000'001, 1}, {1});
  run(many, transfer::staged);
  expect_a_lane(trace_kind::copy_back, 8 * many.elements());
  EXPECT_GT(what_.lanes[trace_kind::copy_back].size(), what_.lanes[trace_kind::copy].size());
}

}  // namespace
}  // namespace multifold
