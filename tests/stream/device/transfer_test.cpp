// Every way from host memory to the GPU: the same results, and refusals that say what is needed.
#include "multifold/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/error.hpp"
#include "stream/device/memory.hpp"
#include "stream/device/problem.hpp"
#include "stream/device/stream.hpp"

namespace multifold {
namespace {

using test::problem;

// An array in pinned memory, or, for comparison, not; `shift` bytes behind an aligned address.
class host_array : public source {
 public:
  host_array(const problem& shape, std::uint64_t seed, bool pinned, std::int64_t shift = 0) : layout_(shape.layout) {
    const std::vector<std::byte> x = test::small_numbers(layout_.type, shape.elements(), seed);
    const auto bytes = static_cast<std::int64_t>(x.size()) + shift;
    if (pinned) pinned_ = cuda::pinned_buffer(bytes);
    else pageable_.resize(static_cast<std::size_t>(bytes));
    data_ = (pinned ? pinned_.data() : pageable_.data()) + shift;
    std::memcpy(data_, x.data(), x.size());
  }

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    ++reads;
    std::memcpy(chunk.data(), data_ + first * item_bytes(layout_.type), chunk.size());
    return static_cast<std::int64_t>(chunk.size()) / item_bytes(layout_.type);
  }

  const std::byte* data() const { return data_; }
  std::atomic<int> reads{0};

 private:
  std::string name_ = "array";
  array_layout layout_;
  cuda::pinned_buffer pinned_;
  std::vector<std::byte> pageable_;
  std::byte* data_;
};

stream::host_options options_for(transfer way) {
  stream::host_options options;
  options.memory_bytes = INT64_C(6) << 20;
  options.threads = 3;
  options.way = way;
  return options;
}

void expect_agreement(op_kind op, const problem& shape, transfer way, std::int64_t shift = 0) {
  SCOPED_TRACE(std::string(name(op)) + " of " + to_string(shape.layout.extents) + ", " + std::string(name(way)));
  host_array x(shape, 7, true, shift), y(shape, 8, true, shift);
  const plan p = shape.plan_of(op);
  // The interpreter takes aligned elements only.
  host_array aligned_x(shape, 7, false), aligned_y(shape, 8, false);
  const std::vector<std::byte> expected = test::interpreted(p, {aligned_x.data(), aligned_y.data()});
  std::vector<std::byte> got(expected.size(), std::byte{0xa5});
  stream::inputs input = takes_two_arrays(op) ? stream::inputs(x, y) : stream::inputs(x);
  input.memory = {x.data(), takes_two_arrays(op) ? y.data() : nullptr};
  const stream::streamed done = stream::run_device(p, input, got.data(), options_for(way));
  EXPECT_EQ(done.elements, shape.elements());
  EXPECT_EQ(done.note, "");
  EXPECT_EQ(got, expected);
  EXPECT_EQ(x.reads > 0, way == transfer::staged);
}

class device_transfer : public test::needs_device {};

const std::vector<problem> problems{
    {dtype::f32, {1}, {0}},           {dtype::f32, {5'000'001}, {0}},          {dtype::i8, {7'000'003}, {0}},
    {dtype::i16, {300'003, 17}, {1}}, {dtype::f32, {70'001, 33}, {0}},         {dtype::f16, {5, 3000, 101}, {1}},
    {dtype::f64, {300'001, 2}, {1}},  {dtype::f16, {301, 40, 101}, {1}, true},
};

const transfer every_way[]{transfer::automatic, transfer::staged, transfer::copy, transfer::mapped};

TEST_F(device_transfer, every_way_gives_the_same_results) {
  for (const transfer way : every_way) {
    for (const problem& shape : problems) {
      for (op_kind op : {op_kind::sum, op_kind::argmin, op_kind::dot}) expect_agreement(op, shape, way);
    }
  }
}

TEST_F(device_transfer, copies_take_elements_at_any_address_and_kernels_do_not) {
  for (const transfer way : {transfer::automatic, transfer::staged, transfer::copy}) {
    expect_agreement(op_kind::sum, problems[1], way, 1);
  }
  expect_agreement(op_kind::sum, problems[1], transfer::mapped, 4);
  host_array x(problems[1], 7, true, 1);
  stream::inputs input(x);
  input.memory = x.data();
  float result = 0;
  EXPECT_THROW(stream::run_device(problems[1].plan_of(op_kind::sum), input, &result, options_for(transfer::mapped)),
               shape_error);
}

TEST_F(device_transfer, rounded_results_are_the_same_every_way) {
  const problem& shape = problems[1];
  plan p = shape.plan_of(op_kind::sum);
  p.what.numerics = accuracy::fast;
  p = make_plan(p.what, p.form, {}, p.engine);
  host_array x(shape, 7, true);
  stream::inputs input(x);
  input.memory = x.data();
  std::vector<float> results;
  for (const transfer way : every_way) {
    results.push_back(0);
    stream::run_device(p, input, &results.back(), options_for(way));
    EXPECT_EQ(results.back(), results.front()) << name(way);
  }
}

TEST_F(device_transfer, refuses_to_read_what_is_not_pinned) {
  const problem& shape = problems[1];
  host_array pageable(shape, 7, false), pinned(shape, 7, true);
  const plan p = shape.plan_of(op_kind::dot);
  float result = 0;
  for (const transfer way : {transfer::copy, transfer::mapped}) {
    EXPECT_THROW(stream::run_device(p, {pinned, pinned}, &result, options_for(way)), unsupported_error);
    stream::inputs both(pinned, pageable);
    both.memory = {pinned.data(), pageable.data()};
    EXPECT_THROW(stream::run_device(p, both, &result, options_for(way)), unsupported_error);
  }
  stream::inputs both(pinned, pageable);
  both.memory = {pinned.data(), pageable.data()};
  stream::run_device(p, both, &result, options_for(transfer::automatic));
  EXPECT_GT(pinned.reads, 0);
}

TEST_F(device_transfer, pinned_results_are_written_to_directly) {
  for (const problem& shape : problems) {
    host_array x(shape, 7, true);
    stream::inputs input(x);
    input.memory = x.data();
    const plan p = shape.plan_of(op_kind::sum);
    const std::vector<std::byte> expected = test::interpreted(p, x.data());
    for (const transfer way : every_way) {
      cuda::pinned_buffer results(static_cast<std::int64_t>(expected.size()));
      std::memset(results.data(), 0xa5, expected.size());
      stream::run_device(p, input, results.data(), options_for(way));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), results.data())) << to_string(shape.layout.extents);
    }
  }
}

TEST_F(device_transfer, knows_pinned_memory) {
  const cuda::pinned_buffer pinned(1 << 20);
  const std::vector<std::byte> pageable(1 << 20);
  EXPECT_TRUE(stream::is_pinned(pinned.data(), 1 << 20));
  EXPECT_TRUE(stream::is_pinned(pinned.data() + 5, 1));
  EXPECT_FALSE(stream::is_pinned(pageable.data(), 1 << 20));
  EXPECT_FALSE(stream::is_pinned(nullptr, 1));
}

class device_transfer_Sanitized : public device_transfer {};

TEST_F(device_transfer_Sanitized, a_few_chunks_every_way) {
  for (const transfer way : every_way) {
    expect_agreement(op_kind::sum, problems[3], way);
    expect_agreement(op_kind::argmin, problems[5], way);
  }
}

}  // namespace
}  // namespace multifold
