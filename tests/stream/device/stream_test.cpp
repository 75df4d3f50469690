// Chunks through pinned slots to the GPU: the same results as the interpreter, whatever the chunks, threads and faults.
#include "stream/device/stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "multifold/error.hpp"
#include "stream/device/problem.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::memory_source;
using test::problem;
using test::small_numbers;

void expect_agreement(op_kind op, const problem& shape, const test::behaviour& how, std::int64_t memory_bytes) {
  const std::int64_t count = shape.elements();
  memory_source input(shape.layout, small_numbers(shape.layout.type, count, 7), how);
  memory_source second(shape.layout, small_numbers(shape.layout.type, count, 8), how);
  const plan p = shape.plan_of(op);
  SCOPED_TRACE(explain(p));
  const std::vector<std::byte> expected = test::interpreted(p, {input.data(), second.data()});
  std::vector<std::byte> got(expected.size(), std::byte{0xa5});
  stream::host_options options;
  options.memory_bytes = memory_bytes;
  options.threads = 4;
  const stream::inputs one(input), two(input, second);
  EXPECT_EQ(stream::run_device(p, takes_two_arrays(op) ? two : one, got.data(), options).elements, count);
  EXPECT_EQ(got, expected);
}

class device_stream : public test::needs_device {};

const std::vector<problem> problems{
    {dtype::f32, {1}, {0}},
    {dtype::f32, {3'000'001}, {0}},
    {dtype::i8, {5'000'003}, {0}},
    {dtype::f32, {3, 900'001}, {1}},
    {dtype::i16, {100'003, 17}, {1}},
    {dtype::f32, {70'001, 33}, {0}},
    {dtype::u8, {3, 1'000'001}, {0}},
    {dtype::f16, {5, 3000, 101}, {1}},
    {dtype::f64, {1001, 997}, {0}, true},
    {dtype::i32, {1001, 997}, {1}, true},
    {dtype::f32, {40, 50, 600}, {2}, true},
    {dtype::f16, {301, 40, 101}, {1}, true},
    {dtype::f32, {2, 600'001}, {0}},
    {dtype::f64, {300'001, 2}, {1}},
    {dtype::u8, {600'003, 1}, {1}},
};

TEST_F(device_stream, agrees_with_the_interpreter_over_many_chunks) {
  for (const problem& shape : problems) {
    for (op_kind op : {op_kind::sum, op_kind::min, op_kind::argmax, op_kind::mean}) {
      expect_agreement(op, shape, {}, INT64_C(2) << 20);
    }
  }
}

TEST_F(device_stream, sums_moments_of_one_array_and_of_two) {
  for (const problem& shape : problems) {
    for (op_kind op : {op_kind::norm2, op_kind::std, op_kind::dot, op_kind::cov, op_kind::describe}) {
      expect_agreement(op, shape, {}, INT64_C(4) << 20);
    }
  }
}

TEST_F(device_stream, rounded_results_are_the_same_whatever_the_memory) {
  const problem shape(dtype::f32, {5'000'001}, {0}), rows(dtype::f32, {500'000, 11}, {1});
  for (const problem& each : {shape, rows}) {
    plan p = each.plan_of(op_kind::sum);
    p.what.numerics = accuracy::fast;
    p = make_plan(p.what, p.form, {}, p.engine);
    std::vector<float> x(static_cast<std::size_t>(each.elements()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i % 1000 + 1);
    const auto bytes = std::as_bytes(std::span(x));
    memory_source input(each.layout, {bytes.begin(), bytes.end()});
    std::vector<std::vector<float>> results;
    for (const std::int64_t memory : {1, 2, 9, 256}) {
      stream::host_options options;
      options.memory_bytes = memory << 20;
      results.emplace_back(static_cast<std::size_t>(p.form.results()));
      stream::run_device(p, input, results.back().data(), options);
      EXPECT_EQ(results.back(), results.front()) << memory << " MiB";
    }
  }
}

// In the middle of a chunk, and where two chunks meet: rows of 9000 elements are no whole part of any chunk.
TEST_F(device_stream, says_that_one_of_many_results_does_not_fit) {
  for (const std::int64_t length : {16, 9000}) {
    const std::int64_t rows = 2'000'000 / length;
    const problem shape(dtype::i64, {rows, length}, {1});
    for (const std::int64_t bad : {std::int64_t{0}, rows / 2, INT64_C(65536) / length, rows - 1}) {
      std::vector<std::int64_t> x(static_cast<std::size_t>(rows * length), 1);
      x[static_cast<std::size_t>(bad * length)] = std::numeric_limits<std::int64_t>::max();
      const auto bytes = std::as_bytes(std::span(x));
      memory_source input(shape.layout, {bytes.begin(), bytes.end()});
      const plan p = shape.plan_of(op_kind::sum);
      std::vector<std::int64_t> results(static_cast<std::size_t>(rows));
      stream::host_options options;
      options.memory_bytes = INT64_C(4) << 20;
      EXPECT_THROW(stream::run_device(p, input, results.data(), options), overflow_error) << length << ", " << bad;
      x[static_cast<std::size_t>(bad * length)] = 1;
      memory_source good(shape.layout, {bytes.begin(), bytes.end()});
      stream::run_device(p, good, results.data(), options);
      EXPECT_EQ(results, std::vector<std::int64_t>(static_cast<std::size_t>(rows), length));
    }
  }
}

TEST_F(device_stream, brings_back_more_results_than_a_chunk_has_room_for) {
  expect_agreement(op_kind::describe, {dtype::u8, {300'001, 1}, {1}}, {}, INT64_C(3) << 20);
  expect_agreement(op_kind::describe, {dtype::f32, {3, 2, 100'001}, {1}}, {}, INT64_C(3) << 20);
  expect_agreement(op_kind::sum, {dtype::f32, {3, 2, 700'001}, {1}}, {}, INT64_C(2) << 20);
}

TEST_F(device_stream, agrees_on_pipes) {
  test::behaviour pipe;
  pipe.random_access = false;
  for (const problem& shape : problems) expect_agreement(op_kind::sum, shape, pipe, INT64_C(4) << 20);
}

TEST_F(device_stream, reads_to_the_end_of_a_stream_of_unknown_length) {
  test::behaviour pipe;
  pipe.random_access = false;
  pipe.unknown_length = true;
  const std::int64_t count = 3'456'789;
  memory_source input({dtype::i32, {count}}, small_numbers(dtype::i32, count, 9), pipe);
  std::int64_t expected = 0, got = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int32_t x;
    std::memcpy(&x, input.data() + 4 * i, 4);
    expected += x;
  }
  const batches form = normalise(make_view(nullptr, dtype::i32, {1}), {0}, element_order::any);
  const plan p = make_plan(make_reduction(op_kind::sum, dtype::i32), form, {}, cuda::device_traits());
  EXPECT_EQ(stream::run_device(p, input, &got).elements, count);
  EXPECT_EQ(got, expected);
}

// Does not read its first elements before all others are on the GPU.
class held_up_source : public memory_source {
 public:
  using memory_source::memory_source;

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    if (first == 0) {
      const auto all = layout().extents[0] * item_bytes(layout().type);
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (bytes_of_others < all - static_cast<std::int64_t>(chunk.size())) {
        if (std::chrono::steady_clock::now() > limit) throw io_error("the others wait");
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    }
    return memory_source::read(first, chunk);
  }

  std::atomic<std::int64_t> bytes_of_others{0};
};

TEST_F(device_stream, none_waits_for_a_chunk_where_order_does_not_show) {
  const problem shape(dtype::f32, {3'000'001}, {0});
  held_up_source input(shape.layout, small_numbers(dtype::f32, shape.elements(), 7));
  const plan p = shape.plan_of(op_kind::mean);
  stream::host_options options;
  options.memory_bytes = INT64_C(4) << 20;
  options.threads = 3;
  options.progress = [&](std::int64_t bytes) { input.bytes_of_others = bytes; };
  std::vector<std::byte> got(sizeof(float));
  stream::run_device(p, input, got.data(), options);
  EXPECT_EQ(got, test::interpreted(p, {input.data(), nullptr}));
}

TEST_F(device_stream, passes_on_what_a_source_throws) {
  for (bool random_access : {true, false}) {
    test::behaviour how;
    how.random_access = random_access;
    how.fails_at = 2'000'000;
    EXPECT_THROW(expect_agreement(op_kind::sum, problems[1], how, INT64_C(2) << 20), io_error);
  }
}

TEST_F(device_stream, stops_when_it_is_told_to) {
  const problem& shape = problems[1];
  test::behaviour slow;
  slow.delay = std::chrono::milliseconds(20);
  memory_source input(shape.layout, small_numbers(dtype::f32, shape.layout.extents[0], 1), slow);
  const plan p = shape.plan_of(op_kind::sum);
  std::stop_source stop;
  stop.request_stop();
  stream::host_options options;
  options.stop = stop.get_token();
  float result = 0;
  EXPECT_THROW(stream::run_device(p, input, &result, options), cancelled_error);
}

TEST_F(device_stream, refuses_too_little_memory_and_indices_that_do_not_ascend) {
  EXPECT_THROW(expect_agreement(op_kind::sum, problems[1], {}, 1000), out_of_memory);
  EXPECT_THROW(expect_agreement(op_kind::argmax, {dtype::f32, {90, 110}, {0, 1}, true}, {}, INT64_C(2) << 20),
               unsupported_error);
}

class device_stream_Sanitized : public device_stream {};

TEST_F(device_stream_Sanitized, a_few_chunks) {
  expect_agreement(op_kind::sum, problems[3], {}, INT64_C(2) << 20);
  expect_agreement(op_kind::argmax, problems[7], {}, INT64_C(2) << 20);
}

}  // namespace
}  // namespace multifold
