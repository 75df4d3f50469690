// What {0}, {0, 1}, {} and sets of axes mean, and that nothing else compiles.
#include "multifold/axes.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <vector>

namespace multifold {
namespace {

using list = std::vector<std::int64_t>;

struct options {
  multifold::axes axes = {};
};

template <class... Numbers>
concept braces_in_braces = requires(Numbers... numbers) {
  axes{{numbers...}};
};

TEST(axes, are_all_unless_others_are_named) {
  EXPECT_TRUE(options{}.axes.are_all());
  EXPECT_TRUE((options{.axes = {}}.axes.are_all()));
  EXPECT_EQ(options{}.axes.of(3), (list{0, 1, 2}));
  EXPECT_EQ(options{}.axes.of(0), list{});
  EXPECT_EQ((options{.axes = axes::all}.axes), axes());
  EXPECT_EQ((options{.axes = {axes::all}}.axes), axes());
}

TEST(axes, of_none_are_none) {
  const axes none = axes::none;
  EXPECT_FALSE(none.are_all());
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.of(3), list{});
  EXPECT_NE(none, axes());
  EXPECT_EQ(none, axes(list{}));
}

TEST(axes, are_numbers_as_they_stand) {
  EXPECT_EQ((options{.axes = {0}}.axes.of(3)), list{0});
  EXPECT_EQ((options{.axes = {0, -1}}.axes.of(3)), (list{0, -1}));
  EXPECT_EQ((options{.axes = {{1}}}.axes.of(3)), list{1});  // as std::optional of a vector was written
  const int axis = 2;
  const std::size_t other = 1;
  EXPECT_EQ((options{.axes = {axis, static_cast<std::int64_t>(other)}}.axes.list()), (list{2, 1}));
  EXPECT_EQ((options{.axes = list{2, 0}}.axes.list()), (list{2, 0}));
  EXPECT_EQ((options{.axes = {list{2, 0}}}.axes.list()), (list{2, 0}));
  const axes same = {2, 0};
  EXPECT_EQ(same, axes(list{2, 0}));
}

TEST(axes, in_empty_braces_in_braces_are_refused_by_the_compiler) {
  static_assert(braces_in_braces<int>);
  static_assert(!braces_in_braces<>);
}

}  // namespace
}  // namespace multifold
