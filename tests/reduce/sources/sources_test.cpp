// Sources that are made of others, or of a function, through the whole API.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <stop_token>

#include "multifold/multifold.hpp"
#include "multifold/state.hpp"
#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

constexpr std::int64_t little_memory = 96 << 10;

std::vector<float> random_numbers(std::int64_t count) {
  test::random_bits random(7);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 60) - 30);
  return values;
}

// Brings `values` in chunks of odd sizes.
std::unique_ptr<source> from_function(const std::vector<float>& values, std::int64_t length,
                                      bool random_access = false) {
  const auto bring = [&values](std::int64_t first, std::span<std::byte> chunk) {
    const auto all = static_cast<std::int64_t>(values.size());
    const std::int64_t count =
        std::min({static_cast<std::int64_t>(chunk.size() / sizeof(float)), all - first, 1 + first % 1013});
    if (count > 0) std::memcpy(chunk.data(), values.data() + first, static_cast<std::size_t>(count) * sizeof(float));
    return std::max<std::int64_t>(count, 0);
  };
  return make_source("numbers", {dtype::f32, {length}, false}, bring, random_access);
}

TEST(sources, of_functions_give_the_bits_of_arrays) {
  const std::vector<float> values = random_numbers(200'003);
  const auto count = static_cast<std::int64_t>(values.size());
  for (const op_kind op : {op_kind::sum, op_kind::var, op_kind::argmin}) {
    const reduce_result expected = reduce(op, make_view(values.data(), {count}));
    for (const std::int64_t memory : {std::int64_t{0}, little_memory}) {
      reduce_options options;
      options.memory_bytes = memory;
      options.engine = engine_choice::host;
      EXPECT_EQ(reduce(op, *from_function(values, -1), options).data, expected.data);
      EXPECT_EQ(reduce(op, *from_function(values, count), options).data, expected.data);
      EXPECT_EQ(reduce(op, *from_function(values, count, true), options).data, expected.data);
    }
  }
}

// Its parts would be those of another length.
TEST(sources, of_unknown_length_take_no_forced_plan) {
  const std::vector<float> values = random_numbers(1000);
  plan_options parts, passes, how;
  parts.parts = 2;
  passes.passes = 2;
  how.how = finish::next_pass;
  for (const plan_options& forced : {parts, passes, how}) {
    reduce_options options;
    options.engine = engine_choice::host;
    options.forced = forced;
    try {
      reduce(op_kind::sum, *from_function(values, -1), options);
      ADD_FAILURE();
    } catch (const unsupported_error& problem) {
      EXPECT_NE(std::string(problem.what()).find("a plan cannot be forced on what is read in chunks"),
                std::string::npos)
          << problem.what();
    }
  }
}

TEST(sources, of_unknown_length_have_one_axis) {
  const std::vector<float> values = random_numbers(1000);
  reduce_options options;
  options.engine = engine_choice::host;
  for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{}, {0, 0}, {0, 1}, {1}}) {
    options.axes = axes;
    EXPECT_THROW(reduce(op_kind::sum, *from_function(values, -1), options), shape_error);
  }
  options.axes = {{-1}};
  EXPECT_EQ(reduce(op_kind::sum, *from_function(values, -1), options).count, 1000);
}

// A slow pipe may take minutes for what a thread asks for at once.
TEST(sources, that_are_slow_are_left_between_two_calls) {
  std::stop_source stop;
  int calls = 0;
  const auto bring = [&](std::int64_t, std::span<std::byte> chunk) {
    ++calls;
    stop.request_stop();
    std::fill(chunk.begin(), chunk.end(), std::byte{0});
    return static_cast<std::int64_t>(chunk.size() / sizeof(float));
  };
  reduce_options options;
  options.engine = engine_choice::host;
  options.stop = stop.get_token();
  const auto input = make_source("numbers", {dtype::f32, {-1}, false}, bring, false);
  EXPECT_THROW(reduce(op_kind::sum, *input, options), cancelled_error);
  EXPECT_EQ(calls, 1);
}

TEST(sources, pass_on_what_a_function_throws) {
  for (const bool random_access : {false, true}) {
    const auto fails = [](std::int64_t first, std::span<std::byte> chunk) -> std::int64_t {
      if (first > 50'000) throw std::domain_error("the network is down");
      std::fill(chunk.begin(), chunk.end(), std::byte{0});
      return static_cast<std::int64_t>(chunk.size() / sizeof(float));
    };
    const auto input = make_source("numbers", {dtype::f32, {1'000'000}, false}, fails, random_access);
    reduce_options options;
    options.memory_bytes = little_memory;
    options.engine = engine_choice::host;
    EXPECT_THROW(reduce(op_kind::sum, *input, options), std::domain_error);
  }
}

TEST(sources, that_are_joined_give_the_bits_of_the_whole) {
  const std::vector<float> values = random_numbers(60'000);
  const std::vector<std::int64_t> rows{0, 7, 1, 400, 192};  // of 100
  for (const bool random_access : {false, true}) {
    const auto joined = [&] {
      std::vector<std::unique_ptr<source>> parts;
      const float* first = values.data();
      for (const std::int64_t count : rows) {
        const auto bring = [first](std::int64_t from, std::span<std::byte> chunk) {
          std::memcpy(chunk.data(), first + from, chunk.size());
          return static_cast<std::int64_t>(chunk.size() / sizeof(float));
        };
        parts.push_back(make_source("part", {dtype::f32, {count, 100}, false}, bring, random_access));
        first += count * 100;
      }
      return concatenate(std::move(parts));
    };
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
      reduce_options options;
      options.axes = axes;
      options.engine = engine_choice::host;
      const reduce_result expected = reduce(op_kind::sum, make_view(values.data(), {600, 100}), options);
      for (const std::int64_t memory : {std::int64_t{0}, little_memory}) {
        options.memory_bytes = memory;
        const reduce_result got = reduce(op_kind::sum, *joined(), options);
        EXPECT_EQ(got.data, expected.data);
        EXPECT_EQ(got.count, 60'000);
      }
    }
  }
}

}  // namespace
}  // namespace multifold
