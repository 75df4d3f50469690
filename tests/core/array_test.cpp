// Extents, strides and axes: what is counted, what is refused, and in which words.
#include "multifold/array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/error.hpp"

namespace multifold {
namespace {

using list = std::vector<std::int64_t>;
constexpr std::int64_t huge = std::int64_t{1} << 40;

// The message of the shape_error that `f` throws; empty if it throws none.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const shape_error& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(array, elements_are_counted_up_to_the_last_of_63_bits) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({7}), 7);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({INT64_MAX, 1, 1}), INT64_MAX);
  EXPECT_EQ(element_count({7, 7, 73, 127, 337, 92737, 649657}), INT64_MAX);
  EXPECT_EQ(element_count({huge, 1 << 22}), std::int64_t{1} << 62);
  EXPECT_TRUE(has(refusal([] { element_count({huge, 1 << 23}); }), "(1099511627776, 8388608)"));
  EXPECT_TRUE(has(refusal([] { element_count({INT64_MAX, 2}); }), "2^63"));
}

TEST(array, a_zero_extent_makes_nothing_of_the_largest) {
  EXPECT_EQ(element_count({huge, huge, huge, 0}), 0);
  EXPECT_EQ(element_count({0, INT64_MAX, INT64_MAX}), 0);
}

TEST(array, negative_extents_are_refused_even_beside_a_zero) {
  EXPECT_TRUE(has(refusal([] { element_count({0, -1}); }), "(0, -1)"));
  EXPECT_TRUE(has(refusal([] { element_count({3, INT64_MIN}); }), "negative"));
}

TEST(array, strides_of_both_orders) {
  EXPECT_EQ(c_strides({2, 3, 4}), (list{12, 4, 1}));
  EXPECT_EQ(fortran_strides({2, 3, 4}), (list{1, 2, 6}));
  EXPECT_EQ(c_strides({}), list{});
  EXPECT_EQ(c_strides({huge, 0, huge, huge}), (list{0, 0, 0, 0}));
  EXPECT_EQ(fortran_strides({huge, huge, huge, 0}), (list{0, 0, 0, 0}));
  EXPECT_NE(refusal([] { c_strides({huge, huge}); }), "");
}

TEST(array, views_are_row_major_and_know_their_dtype) {
  const float data[6] = {};
  const array_view view = make_view(data, {2, 3});
  EXPECT_EQ(view.type, dtype::f32);
  EXPECT_EQ(view.strides, (list{3, 1}));
  EXPECT_EQ(view.rank(), 2);
  EXPECT_EQ(view.elements(), 6);
  EXPECT_EQ(view.where, place::host);
  EXPECT_EQ(make_view(data, {huge, huge, 0}).elements(), 0);
  EXPECT_NE(refusal([&] { make_view(data, {huge, huge}); }), "");
}

TEST(array, extents_are_printed_as_python_does) {
  EXPECT_EQ(to_string(list{}), "()");
  EXPECT_EQ(to_string(list{5}), "(5,)");
  EXPECT_EQ(to_string(list{2, -3, 4}), "(2, -3, 4)");
}

TEST(array, axes_out_of_range_are_named_with_the_range) {
  const array_view view = make_view(nullptr, dtype::f32, {2, 3});
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, INT64_MAX, INT64_MIN}) {
    const std::string said = refusal([&] { normalise(view, {axis}, element_order::any); });
    EXPECT_TRUE(has(said, "axis " + std::to_string(axis)) && has(said, "-2 to 1") && has(said, "(2, 3)")) << said;
    EXPECT_EQ(said, refusal([&] { result_extents(view, {axis}, false); }));
  }
  const array_view single = make_view(nullptr, dtype::f32, {});
  EXPECT_TRUE(has(refusal([&] { normalise(single, {0}, element_order::any); }), "no axes"));
}

TEST(array, an_axis_is_named_once) {
  const array_view view = make_view(nullptr, dtype::f32, {2, 3});
  EXPECT_TRUE(has(refusal([&] { normalise(view, {1, 1}, element_order::any); }), "axis 1 is named twice"));
  EXPECT_TRUE(has(refusal([&] { normalise(view, {1, -1}, element_order::any); }), "axis -1 is named twice"));
}

TEST(array, extents_and_strides_have_to_fit_together) {
  array_view view = make_view(nullptr, dtype::f32, {2, 3});
  view.strides = {1};
  EXPECT_TRUE(has(refusal([&] { normalise(view, {}, element_order::any); }), "1 strides"));
}

TEST(array, views_that_reach_past_the_address_space_are_refused) {
  array_view view;
  view.type = dtype::f64;
  const auto refused = [&](const list& extents, const list& strides) {
    view.extents = extents;
    view.strides = strides;
    return refusal([&] { normalise(view, {0}, element_order::any); }) != "";
  };
  EXPECT_TRUE(refused({std::int64_t{1} << 60}, {1}));
  EXPECT_FALSE(refused({(std::int64_t{1} << 60) - 1}, {1}));
  EXPECT_FALSE(refused({(std::int64_t{1} << 60) - 1}, {-1}));
  EXPECT_TRUE(refused({2}, {INT64_MIN}));
  EXPECT_TRUE(refused({2}, {INT64_MAX}));
  EXPECT_TRUE(refused({std::int64_t{1} << 62}, {std::int64_t{1} << 62}));
  EXPECT_TRUE(refused({INT64_MAX}, {INT64_MIN}));
  EXPECT_FALSE(refused({1, 2}, {INT64_MIN, 1}));  // an extent of 1 never steps
  EXPECT_FALSE(refused({INT64_MAX}, {0}));
  view.type = dtype::i8;
  EXPECT_FALSE(refused({2, 2}, {std::int64_t{1} << 62, std::int64_t{1} << 61}));
  EXPECT_FALSE(refused({2, 2}, {std::int64_t{1} << 61, std::int64_t{1} << 62}));
}

TEST(array, results_keep_their_axes_or_drop_them) {
  const array_view view = make_view(nullptr, dtype::f32, {2, 3, 4, 1});
  EXPECT_EQ(result_extents(view, {1}, false), (list{2, 4, 1}));
  EXPECT_EQ(result_extents(view, {1, -1}, true), (list{2, 1, 4, 1}));
  EXPECT_EQ(result_extents(view, {}, false), (list{2, 3, 4, 1}));
  EXPECT_EQ(result_extents(view, all_axes(4), false), list{});
  EXPECT_EQ(result_extents(view, all_axes(4), true), (list{1, 1, 1, 1}));
  EXPECT_EQ(all_axes(3), (list{0, 1, 2}));
  EXPECT_EQ(all_axes(0), list{});
}

}  // namespace
}  // namespace multifold
