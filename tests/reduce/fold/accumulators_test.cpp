// Accumulators of folds that are no plain numbers: truths, lanes, memory of their own, alignment.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "multifold/fold.hpp"
#include "reduce/fold/ops.hpp"

namespace multifold {
namespace {

TEST(fold_accumulators, and_results_are_boolean) {
  std::vector<float> x(200'000, 1);
  x[123'456] = -1;
  const auto positive = make_fold<float>(
      true, [](float v) { return v > 0; }, std::logical_and<>{});
  const array_view view = make_view(x.data(), {100, 2000});
  std::vector<bool> expected(100, true);
  expected[61] = false;
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(fold(positive, view, {.axes = {{1}}, .threads = threads}).values, expected);
    EXPECT_FALSE(fold(positive, view, {.threads = threads}).value());
  }
}

// 32 elements at a time, in a byte.
struct narrow_count {
  using value_type = std::int32_t;
  using accumulator = std::int64_t;
  using lane = std::uint8_t;
  static constexpr std::int64_t lane_capacity = 32;
  std::int64_t identity() const { return 0; }
  std::int64_t lift(std::int32_t, std::int64_t) const { return 1; }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t lower(std::int64_t a, std::int64_t) const { return a; }
  lane lane_identity() const { return 0; }
  lane absorb(lane l, std::int32_t, std::int64_t) const {
    if (l == lane_capacity) throw std::length_error("a lane took more than it holds");
    return static_cast<lane>(l + 1);
  }
  std::int64_t widen(lane l) const { return l; }
};

TEST(fold_accumulators, have_lanes_that_are_filled_up_to_their_capacity) {
  const std::vector<std::int32_t> x(300'000);
  for (const std::int64_t length : {1, 7, 8, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 5000, 100'000}) {
    EXPECT_EQ(fold(narrow_count{}, make_view(x.data(), {length})).value(), length);
    const std::int64_t width = 300'000 / length < 5 ? 3 : 5;
    const auto columns = fold(narrow_count{}, make_view(x.data(), {length, width}), {.axes = {{0}}, .threads = 2});
    EXPECT_EQ(columns.values, std::vector<std::int64_t>(static_cast<std::size_t>(width), length));
  }
}

// Two elements at a time, in order.
struct narrow_text {
  static constexpr bool ordered = true;
  using value_type = std::int32_t;
  using accumulator = std::string;
  struct lane {
    char text[2];
    int size;
  };
  static constexpr std::int64_t lane_capacity = 2;
  std::string identity() const { return {}; }
  std::string lift(std::int32_t x, std::int64_t i) const { return widen(absorb(lane_identity(), x, i)); }
  std::string combine(std::string a, const std::string& b) const { return std::move(a) + b; }
  std::string lower(std::string a, std::int64_t) const { return a; }
  lane lane_identity() const { return {{}, 0}; }
  lane absorb(lane l, std::int32_t x, std::int64_t) const {
    if (l.size == lane_capacity) throw std::length_error("a lane took more than it holds");
    l.text[l.size++] = static_cast<char>('a' + (x + 1000) % 26);
    return l;
  }
  std::string widen(lane l) const { return {l.text, static_cast<std::size_t>(l.size)}; }
};

TEST(fold_accumulators, have_lanes_that_are_filled_in_order) {
  const std::vector<std::int32_t> x = random_integers(300);
  for (std::int64_t length = 1; length < 40; ++length) {
    for (const std::int64_t width : {1, 2, 5}) {
      const array_view view = make_view(x.data(), {length, width});
      for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
        EXPECT_EQ(fold(narrow_text{}, view, {.axes = axes}).values, fold_slowly(narrow_text{}, view, axes));
      }
    }
  }
}

TEST(fold_accumulators, own_memory) {
  const std::vector<std::int32_t> x = random_integers(60'000);
  const auto text = make_ordered_fold<std::int32_t>(
      std::string(), [](std::int32_t v) { return std::to_string(v) + ","; },
      [](std::string a, const std::string& b) { return std::move(a) + b; });
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{3, 20'000}, {20'000, 3}, {600, 100}}) {
    const array_view view = make_view(x.data(), extents);
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
      const auto expected = fold_slowly(text, view, axes);
      for (const int threads : {1, 2, 7}) {
        EXPECT_EQ(fold(text, view, {.axes = axes, .threads = threads}).values, expected) << to_string(extents);
      }
    }
  }
}

// A histogram grows in place: its lane is the accumulator itself.
struct histogram {
  using value_type = std::int32_t;
  using accumulator = std::vector<std::int64_t>;
  using lane = accumulator;
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  accumulator identity() const { return accumulator(2001); }
  accumulator lift(std::int32_t x, std::int64_t i) const { return absorb(identity(), x, i); }
  accumulator combine(accumulator a, const accumulator& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  accumulator lower(accumulator a, std::int64_t) const { return a; }
  lane lane_identity() const { return identity(); }
  lane absorb(lane l, std::int32_t x, std::int64_t) const {
    ++l[static_cast<std::size_t>(x + 1000)];
    return l;
  }
  accumulator widen(lane l) const { return l; }
};

TEST(fold_accumulators, grow_in_place) {
  const std::vector<std::int32_t> x = random_integers(400'000);
  std::vector<std::int64_t> expected(2001);
  for (const std::int32_t v : x) ++expected[static_cast<std::size_t>(v + 1000)];
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(fold(histogram{}, make_view(x.data(), {400'000}), {.threads = threads}).value(), expected);
  }
  const auto columns = fold(histogram{}, make_view(x.data(), {100'000, 4}), {.axes = {{0}}, .threads = 2});
  std::vector<std::int64_t> all(2001);
  for (const auto& column : columns.values) all = histogram{}.combine(all, column);
  EXPECT_EQ(all, expected);
}

struct alignas(64) wide_sum {
  std::int64_t sum;
};

struct aligned_sum {
  using value_type = std::int32_t;
  using accumulator = wide_sum;
  wide_sum identity() const { return {0}; }
  wide_sum lift(std::int32_t x, std::int64_t) const { return {x}; }
  wide_sum combine(const wide_sum& a, const wide_sum& b) const {
    for (const wide_sum* s : {&a, &b}) {
      if (reinterpret_cast<std::uintptr_t>(s) % alignof(wide_sum) != 0) throw std::runtime_error("misaligned");
    }
    return {a.sum + b.sum};
  }
  std::int64_t lower(const wide_sum& a, std::int64_t) const { return a.sum; }
};

TEST(fold_accumulators, have_an_alignment_of_their_own) {
  const std::vector<std::int32_t> x = random_integers(200'000);
  const std::int64_t total = std::accumulate(x.begin(), x.end(), std::int64_t{0});
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(fold(aligned_sum{}, make_view(x.data(), {200'000}), {.threads = threads}).value(), total);
    const array_view table = make_view(x.data(), {10'000, 20});
    const auto columns = fold(aligned_sum{}, table, {.axes = {{0}}, .threads = threads}).values;
    EXPECT_EQ(std::accumulate(columns.begin(), columns.end(), std::int64_t{0}), total);
  }
}

}  // namespace
}  // namespace multifold
