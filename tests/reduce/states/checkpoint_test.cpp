#include "reduce/states/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "core/little_endian.hpp"
#include "multifold/multifold.hpp"
#include "multifold/state.hpp"
#include "random_bits.hpp"
#include "reduce/states/resume.hpp"

namespace multifold {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t elements = 5'000'000;  // several ranges of the shortest kind

class checkpoint_test : public ::testing::Test {
 protected:
  checkpoint_test() : file_(fs::temp_directory_path() / ("multifold-checkpoint-" + std::to_string(::getpid()))) {
    fs::remove(file_);
    test::random_bits random(11);
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
  EXPECT_EQ(least, 0);  // a function has no identity: what was summed is looked at again
  EXPECT_EQ(most, elements * 4);
}

TEST_F(checkpoint_test, is_cancelled_while_it_looks_at_what_was_summed) {
  EXPECT_THROW(reduce(op_kind::sum, *input(2'000'000), options_), std::runtime_error);
  const std::vector<std::byte> left = bytes();
  std::stop_source stop;
  stop.request_stop();
  options_.stop = stop.get_token();
  EXPECT_EQ(refusal<cancelled_error>(*input()), "x: the reduction was cancelled");
  EXPECT_EQ(bytes(), left);
}

TEST_F(checkpoint_test, takes_intervals_of_any_length_but_of_none) {
  options_.checkpoint_seconds = -1;
  EXPECT_EQ(refusal<unsupported_error>(*input()),
            "checkpoints every -1.000000 seconds were asked for; expected 0 or more");
  options_.checkpoint_seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal<unsupported_error>(*input()).find("expected 0 or more"), std::string::npos);
  for (const double seconds : {1e15, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(detail::next_range(1'000'000, 1e-9, seconds, 100, 12'345'678), 12'345'678) << seconds;
  }
  EXPECT_EQ(detail::next_range(1000, 2, 10, 100, 12'345'678), 5000);
  EXPECT_EQ(detail::next_range(1000, 2, 10.5, 100, 12'345'678), 5200);
  EXPECT_EQ(detail::next_range(1000, 1e9, 10, 100, 12'345'678), 100);
}

TEST_F(checkpoint_test, refuses_other_arrays) {
  EXPECT_THROW(reduce(op_kind::sum, *input(2'000'000), options_), std::runtime_error);
  const std::vector<std::byte> left = bytes();
  const std::string file = file_;

  const std::int64_t done = detail::decode_checkpoint(left).done;
  test::random_bits random(12);
  for (int i = 0; i < 20; ++i) {  // any one of them, and its smallest bit
    const auto place = i == 0   ? 0
                       : i == 1 ? done - 1
                                : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(done));
    const auto flip = [&] {
      std::uint32_t bits;
      std::memcpy(&bits, &values_[static_cast<std::size_t>(place)], 4);
      bits ^= 1;
      std::memcpy(&values_[static_cast<std::size_t>(place)], &bits, 4);
    };
    flip();
    EXPECT_EQ(refusal<format_error>(*input()),
              file + ": found the checkpoint of other elements than those of x; remove it to start anew")
        << place;
    flip();
  }
  std::swap(values_[1000], values_[2000]);  // the same sum, and yet not the same elements
  EXPECT_NE(refusal<format_error>(*input()).find("other elements"), std::string::npos);
  std::swap(values_[1000], values_[2000]);
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
  EXPECT_NE(refusal<unsupported_error>(*integers).find("and not by sum of i32 to 1 result"), std::string::npos);
  const auto rows = make_source(
      "x", {dtype::f32, {9, 9}, false}, [](auto, auto) { return 0; }, true);
  options_.axes = {1};
  EXPECT_NE(refusal<unsupported_error>(*rows).find("and not by sum of f32 to 9 results"), std::string::npos);
  options_.axes = axes::all;
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

constexpr detail::element_digest some_digest{0x0123456789abcdefu, 0xfedcba9876543210u}, other_digest{1, 2};

TEST(checkpoint_bytes, come_back_and_are_believed_after_every_check) {
  const detail::checkpoint c{1000, 300, nan_policy::omit, some_digest, other_digest, empty_state(dtype::f64)};
  const std::vector<std::byte> whole = detail::encode(c);
  const detail::checkpoint back = detail::decode_checkpoint(whole);
  EXPECT_EQ(back.elements, c.elements);
  EXPECT_EQ(back.done, c.done);
  EXPECT_EQ(back.nan, c.nan);
  EXPECT_EQ(back.summed, c.summed);
  EXPECT_EQ(back.identity, c.identity);
  EXPECT_EQ(back.state, c.state);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> changed = whole;
    changed[i] ^= std::byte{0x10};
    EXPECT_THROW(detail::decode_checkpoint(changed), format_error) << i;
    EXPECT_THROW(detail::decode_checkpoint(std::span(whole).first(i)), format_error) << i;
  }
}

std::string refusal_of(const std::vector<std::byte>& bytes) {
  try {
    detail::decode_checkpoint(bytes);
  } catch (const format_error& problem) {
    return problem.what();
  }
  return "no error";
}

TEST(checkpoint_bytes, of_other_versions_are_refused) {
  std::vector<std::byte> whole = detail::encode({1000, 300, nan_policy::omit, {}, {}, empty_state(dtype::f64)});
  whole[8] = std::byte{3};
  EXPECT_EQ(refusal_of(whole), "checkpoint, byte 8: found version 3, expected version 2; a newer multifold wrote this");
  whole[8] = std::byte{1};
  whole.resize(60);  // they were shorter
  EXPECT_EQ(
      refusal_of(whole),
      "checkpoint, byte 8: found version 1, expected version 2; an older multifold wrote this: remove it to start "
      "anew");
}

TEST(checkpoint_bytes, of_counts_that_cannot_be_are_refused) {
  for (const auto& [counted, done] : {std::pair<std::int64_t, std::int64_t>{3, 4}, {3, -1}, {-3, -4}, {-3, -3}}) {
    EXPECT_EQ(refusal_of(detail::encode({counted, done, nan_policy::omit, {}, {}, {}})),
              "checkpoint, byte 24: found " + std::to_string(done) + " of " + std::to_string(counted) +
                  " elements, expected no more than all");
  }
}

TEST(checkpoint_bytes, of_no_known_policy_are_refused) {
  std::vector<std::byte> bytes = detail::encode({1000, 300, nan_policy::omit, {}, {}, empty_state(dtype::f64)});
  bytes[10] = std::byte{2};
  const std::span<std::byte> all(bytes);
  put_little_endian(all.last(8), fnv1a(all.first(all.size() - 8)));
  EXPECT_EQ(refusal_of(bytes), "checkpoint, byte 10: found 2, expected 0 (NaN propagates) or 1 (NaN is omitted)");
}

}  // namespace
}  // namespace multifold
