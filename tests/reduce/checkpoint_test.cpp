#include "reduce/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>

#include "multifold/multifold.hpp"
#include "multifold/state.hpp"

namespace multifold {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t elements = 5'000'000;  // several stretches of the shortest kind

class checkpoint_test : public ::testing::Test {
 protected:
  checkpoint_test() : file_(fs::temp_directory_path() / ("multifold-checkpoint-" + std::to_string(::getpid()))) {
    fs::remove(file_);
    std::mt19937 random(11);
    values_.resize(elements);
    for (float& value : values_) value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 90) - 60);
    values_[3] = std::numeric_limits<float>::quiet_NaN();
    options_.nan = nan_policy::omit;
    options_.engine = engine_choice::host;
    options_.checkpoint = file_;
    options_.checkpoint_seconds = 0;
  }
  ~checkpoint_test() override { fs::remove(file_); }

  // Breaks off where element `last` is asked for.
  std::unique_ptr<source> input(std::int64_t last = elements) const {
    const auto bring = [this, last](std::int64_t first, std::span<std::byte> chunk) {
      if (first + static_cast<std::int64_t>(chunk.size() / sizeof(float)) > last) throw std::runtime_error("gone");
      std::memcpy(chunk.data(), values_.data() + first, chunk.size());
      return static_cast<std::int64_t>(chunk.size() / sizeof(float));
    };
    return make_source("x", {dtype::f32, {elements}, false}, bring, true);
  }

  reduce_result expected(op_kind op) const {
    reduce_options options = options_;
    options.checkpoint.clear();
    return reduce(op, make_view(values_.data(), {elements}), options);
  }

  std::vector<std::byte> bytes() const {
    std::ifstream in(file_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto all = std::as_bytes(std::span(text));
    return {all.begin(), all.end()};
  }

  template <class Error>
  std::string refusal(source& from) const {
    try {
      reduce(op_kind::sum, from, options_);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "no error";
  }

  fs::path file_;
  std::vector<float> values_;
  reduce_options options_;
};

TEST_F(checkpoint_test, gives_the_bits_of_an_uninterrupted_run) {
  for (const op_kind op : {op_kind::sum, op_kind::mean}) {
    const reduce_result whole = expected(op);
    std::int64_t before = 0;
    for (const std::int64_t last : {std::int64_t{10}, std::int64_t{1'500'000}, std::int64_t{4'000'000}, elements - 1}) {
      EXPECT_THROW(reduce(op, *input(last), options_), std::runtime_error);
      if (last == 10) {
        EXPECT_FALSE(fs::exists(file_));
        continue;
      }
      const detail::checkpoint left = detail::decode_checkpoint(bytes());
      EXPECT_EQ(left.elements, elements);
      EXPECT_GT(left.done, before);
      EXPECT_LE(left.done, last);
      before = left.done;
    }
    const reduce_result result = reduce(op, *input(), options_);
    EXPECT_EQ(result.data, whole.data);
    EXPECT_EQ(result.count, elements);
    EXPECT_EQ(result.resumed, before);
    EXPECT_EQ(result.bytes, (elements - before) * 4);
    EXPECT_TRUE(result.state.empty());

    const reduce_result again = reduce(op, *input(), options_);  // nothing is left to be read
    EXPECT_EQ(again.data, whole.data);
    EXPECT_EQ(again.resumed, elements);
    fs::remove(file_);
  }
}

TEST_F(checkpoint_test, keeps_states_and_reports_progress) {
  options_.keep_state = true;
  EXPECT_THROW(reduce(op_kind::sum, *input(2'000'000), options_), std::runtime_error);
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  options_.progress = [&](std::int64_t bytes) {
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  };
  const reduce_result result = reduce(op_kind::sum, *input(), options_);
  EXPECT_EQ(result.state, expected(op_kind::sum).state);
  EXPECT_GE(least, result.resumed * 4);
  EXPECT_EQ(most, elements * 4);
}

TEST_F(checkpoint_test, refuses_other_arrays) {
  EXPECT_THROW(reduce(op_kind::sum, *input(2'000'000), options_), std::runtime_error);
  const std::vector<std::byte> left = bytes();
  const std::string file = file_;

  values_[0] = -values_[0];
  EXPECT_EQ(refusal<format_error>(*input()),
            file + ": found the checkpoint of other elements than those of x; remove it to start anew");
  values_[0] = -values_[0];
  options_.nan = nan_policy::propagate;
  EXPECT_EQ(
      refusal<format_error>(*input()),
      file + ": found the checkpoint of a sum of 5000000 elements that are no NaN; expected 5000000 elements, as in x");
  options_.nan = nan_policy::omit;
  const auto other = make_source(
      "y", {dtype::f32, {7}, false}, [](auto, auto chunk) { return chunk.size() / 4; }, true);
  EXPECT_EQ(refusal<format_error>(*other), file +
                                               ": found the checkpoint of a sum of 5000000 elements that are no NaN; "
                                               "expected 7 elements that are no NaN, as in y");
  const auto wide = make_source(
      "y", {dtype::f64, {elements}, false}, [](auto, auto chunk) { return chunk.size() / 8; }, true);
  EXPECT_NE(refusal<format_error>(*wide).find("found sums of f32, expected sums of f64"), std::string::npos);
  EXPECT_EQ(bytes(), left);
  EXPECT_EQ(reduce(op_kind::sum, *input(), options_).data, expected(op_kind::sum).data);
}

TEST_F(checkpoint_test, refuses_what_leaves_none) {
  const auto pipe = make_source("pipe", {dtype::f32, {9}, false}, [](auto, auto) { return 0; });
  EXPECT_EQ(refusal<unsupported_error>(*pipe),
            "pipe: a sum with checkpoints reads files, which can be read from any place on");
  const auto integers = make_source(
      "x", {dtype::i32, {9}, false}, [](auto, auto) { return 0; }, true);
  EXPECT_NE(refusal<unsupported_error>(*integers).find("a state of this sum of i32 is not served"), std::string::npos);
  const auto rows = make_source(
      "x", {dtype::f32, {9, 9}, false}, [](auto, auto) { return 0; }, true);
  options_.axes = {1};
  EXPECT_NE(refusal<unsupported_error>(*rows).find("reduce over all axes"), std::string::npos);
  options_.axes.reset();
  options_.forced.parts = 3;
  EXPECT_EQ(refusal<unsupported_error>(*input()), "a plan cannot be forced on a sum with checkpoints");
  options_.forced.parts.reset();
  EXPECT_THROW(reduce(op_kind::max, *input(), options_), unsupported_error);
  EXPECT_THROW(reduce(op_kind::dot, *input(), *input(), options_), unsupported_error);
  EXPECT_THROW(reduce(op_kind::sum, make_view(values_.data(), {elements}), options_), unsupported_error);
  EXPECT_FALSE(fs::exists(file_));
  options_.checkpoint = "/dev/null";
  EXPECT_EQ(refusal<io_error>(*input()), "/dev/null: found no regular file; expected a checkpoint, or none yet");
}

TEST_F(checkpoint_test, sums_nothing_at_all) {
  const auto none = make_source(
      "x", {dtype::f32, {0}, false}, [](auto, auto) { return 0; }, true);
  EXPECT_EQ(reduce(op_kind::sum, *none, options_).value<float>(), 0);
}

TEST(checkpoint_bytes, come_back_and_are_believed_after_every_check) {
  const detail::checkpoint c{1000, 300, nan_policy::omit, 0x0123456789abcdefu, empty_state(dtype::f64)};
  const std::vector<std::byte> whole = detail::encode(c);
  const detail::checkpoint back = detail::decode_checkpoint(whole);
  EXPECT_EQ(back.elements, c.elements);
  EXPECT_EQ(back.done, c.done);
  EXPECT_EQ(back.nan, c.nan);
  EXPECT_EQ(back.sample, c.sample);
  EXPECT_EQ(back.state, c.state);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> changed = whole;
    changed[i] ^= std::byte{0x10};
    EXPECT_THROW(detail::decode_checkpoint(changed), format_error) << i;
    EXPECT_THROW(detail::decode_checkpoint(std::span(whole).first(i)), format_error) << i;
  }
  std::vector<std::byte> newer = whole;
  newer[8] = std::byte{2};
  try {
    detail::decode_checkpoint(newer);
    ADD_FAILURE();
  } catch (const format_error& problem) {
    EXPECT_STREQ(problem.what(),
                 "checkpoint, byte 8: found version 2, expected version 1; a newer multifold wrote this");
  }
  EXPECT_THROW(detail::decode_checkpoint(detail::encode({3, 4, nan_policy::omit, 0, {}})), format_error);
}

}  // namespace
}  // namespace multifold
