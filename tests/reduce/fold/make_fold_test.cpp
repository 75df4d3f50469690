// Operations out of lambdas.
#include "multifold/fold/make_fold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "multifold/fold.hpp"

namespace multifold {
namespace {

const std::vector<float> x{3, 1, 4, 1, 5, 9, 2, 6};

array_view numbers() { return make_view(x.data(), {8}); }

TEST(make_fold, gives_operations_that_satisfy_the_concept_whatever_they_capture) {
  float bound = 3;
  std::string unused = "not trivially copyable";
  auto above = make_fold<float>(
      0, [bound, unused](float v) { return v > bound ? 1 : 0; }, std::plus<>{});
  static_assert(host_fold_op<decltype(above)>);
  static_assert(index_free_fold_op<decltype(above)>);
  static_assert(!ordered_fold_op<decltype(above)>);
  static_assert(arrays_of<decltype(above)> == 1);
  EXPECT_EQ(fold(above, numbers()).value(), 4);
  bound = 5;
  auto other = above;
  above = other;
  above = std::move(other);
  EXPECT_EQ(fold(above, numbers()).value(), 4);
}

TEST(make_fold, lifts_elements_with_their_index_if_asked_to) {
  using best = std::pair<float, std::int64_t>;
  auto argmax = make_fold<float>(
      best{-1, -1},
      [](float v, std::int64_t i) {
        return best{v, i};
      },
      [](best a, best b) { return a.first > b.first || (a.first == b.first && a.second < b.second) ? a : b; },
      [](best a) { return a.second; });
  static_assert(host_fold_op<decltype(argmax)> && !index_free_fold_op<decltype(argmax)>);
  EXPECT_EQ(fold(argmax, numbers()).value(), 5);
}

TEST(make_fold, lowers_with_the_count_if_asked_to) {
  const auto mean = make_fold<float>(
      0.0, [](float v) { return double{v}; }, std::plus<>{},
      [](double sum, std::int64_t count) { return sum / static_cast<double>(count); });
  EXPECT_EQ(fold(mean, numbers()).value(), 31.0 / 8);
  EXPECT_EQ(fold(mean, make_view(x.data(), {4, 2}), {.axes = {{1}}}).values, (std::vector<double>{2, 2.5, 7, 4}));
}

TEST(make_fold, takes_generic_lambdas_and_function_pointers) {
  const auto most = make_fold<float>(
      0.0f, [](auto v) { return v; }, [](auto a, auto b) { return std::max(a, b); });
  EXPECT_EQ(fold(most, numbers()).value(), 9);
  float (*const twice)(float) = [](float v) { return 2 * v; };
  const auto doubled = make_fold<float>(0.0f, twice, std::plus<>{});
  EXPECT_EQ(fold(doubled, numbers()).value(), 62);
}

TEST(make_fold, takes_a_second_element_for_no_index) {
  // Of one array, lift(x, y) with a float y would be given an index.
  const auto two = [](float a, float b) { return a + b; };
  static_assert(!std::is_invocable_v<decltype(two), float, detail::any_index>);
  const auto by_index = [](float, std::int64_t) { return 1.0; };
  static_assert(std::is_invocable_v<decltype(by_index), float, detail::any_index>);
}

TEST(make_fold, keeps_the_order_of_make_ordered_fold) {
  auto digits = make_ordered_fold<float>(
      std::string(), [](float v) { return std::to_string(static_cast<int>(v)); }, std::plus<>{});
  static_assert(ordered_fold_op<decltype(digits)>);
  EXPECT_EQ(fold(digits, numbers()).value(), "31415926");
  array_view back = numbers();
  back.data = x.data() + 7;
  back.strides = {-1};
  EXPECT_EQ(fold(digits, back).value(), "62951413");
  EXPECT_EQ(fold(digits, make_view(x.data(), {2, 4}), {.axes = {{0}}}).values,
            (std::vector<std::string>{"35", "19", "42", "16"}));
}

}  // namespace
}  // namespace multifold
