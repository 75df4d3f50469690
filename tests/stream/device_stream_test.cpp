// Chunks through pinned slots to the GPU: the same results as the interpreter, whatever the chunks, threads and faults.
#include "stream/device_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"
#include "multifold/float16.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::memory_source;

// Elements whose sums are exact, so that results compare by bits.
std::vector<std::byte> small_numbers(dtype type, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const int value = static_cast<int>(rng() % 201) - 100;
      T x;
      if constexpr (std::is_same_v<T, f16>) x = to_f16(value);
      else if constexpr (std::is_same_v<T, bf16>) x = to_bf16(value);
      else if constexpr (std::is_same_v<T, bool8>) x.bits = static_cast<std::uint8_t>(value & 1);
      else x = static_cast<T>(value);
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
  return bytes;
}

struct problem {
  problem(dtype type, std::vector<std::int64_t> extents, std::vector<std::int64_t> reduced, bool fortran_order = false)
      : axes(std::move(reduced)) {
    layout.type = type;
    layout.extents = std::move(extents);
    layout.fortran_order = fortran_order;
  }

  array_layout layout;
  std::vector<std::int64_t> axes;
};

array_view view_of(const array_layout& layout, const void* data) {
  array_view view = make_view(data, layout.type, layout.extents);
  if (layout.fortran_order) view.strides = fortran_strides(layout.extents);
  return view;
}

void expect_agreement(op_kind op, const problem& shape, const test::behaviour& how, std::int64_t memory_bytes) {
  const std::int64_t count = element_count(shape.layout.extents);
  memory_source input(shape.layout, small_numbers(shape.layout.type, count, 7), how);
  memory_source second(shape.layout, small_numbers(shape.layout.type, count, 8), how);
  const batches form = normalise(view_of(shape.layout, input.data()), shape.axes, order_of(op));
  const plan p = make_plan(make_reduction(op, shape.layout.type), form, {}, cuda::device_traits());
  SCOPED_TRACE(explain(p));
  const auto bytes = static_cast<std::size_t>(form.results() * result_bytes(p.what));
  std::vector<std::byte> expected(bytes), got(bytes, std::byte{0xa5});
  interpret(p, {input.data(), second.data()}, expected.data());
  stream::host_options options;
  options.memory_bytes = memory_bytes;
  options.threads = 4;
  const stream::inputs one(input), two(input, second);
  EXPECT_EQ(stream::run_device(p, takes_two_arrays(op) ? two : one, got.data(), options).elements, form.elements());
  EXPECT_EQ(got, expected);
}

class device_stream : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (cuda::devices(reason).empty()) GTEST_SKIP() << "no GPU: " << reason;
  }
};

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
  const batches form = normalise(view_of(shape.layout, input.data()), shape.axes, element_order::any);
  const plan p = make_plan(make_reduction(op_kind::sum, dtype::f32), form, {}, cuda::device_traits());
  std::stop_source stop;
  stop.request_stop();
  stream::host_options options;
  options.stop = stop.get_token();
  float result = 0;
  EXPECT_THROW(stream::run_device(p, input, &result, options), cancelled_error);
}

TEST_F(device_stream, refuses_too_little_memory_and_forms_without_rows_or_columns) {
  EXPECT_THROW(expect_agreement(op_kind::sum, problems[1], {}, 1000), out_of_memory);
  EXPECT_THROW(expect_agreement(op_kind::sum, {dtype::f32, {9, 10, 11}, {0, 2}}, {}, INT64_C(2) << 20),
               unsupported_error);
}

class device_stream_Sanitized : public device_stream {};

TEST_F(device_stream_Sanitized, a_few_chunks) {
  expect_agreement(op_kind::sum, problems[3], {}, INT64_C(2) << 20);
  expect_agreement(op_kind::argmax, problems[7], {}, INT64_C(2) << 20);
}

}  // namespace
}  // namespace multifold
