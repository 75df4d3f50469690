// The normal form visits exactly the elements that nested loops would, and recognises the patterns that matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random_view.hpp"
#include "multifold/array.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using list = std::vector<std::int64_t>;
using testing_views::make_random_view;
using testing_views::offsets_by_result;
using testing_views::random_axes;

list offsets_of_batch(const batches& form, std::int64_t batch) {
  list offsets;
  for (std::int64_t index = 0; index < form.length; ++index) offsets.push_back(form.offset_of(batch, index));
  return offsets;
}

// The runs that stand in outer, length and inner have to say what their pattern promises.
void expect_pattern_holds(const batches& form) {
  if (form.pattern == access::strided) return;
  EXPECT_EQ(form.outer_run.extent, form.outer);
  EXPECT_EQ(form.length_run.extent, form.length);
  EXPECT_EQ(form.inner_run.extent, form.inner);
  if (form.pattern == access::rows) {
    EXPECT_EQ(form.inner, 1);
    EXPECT_TRUE(form.length <= 1 || form.length_run.stride == 1);
  } else {
    EXPECT_GT(form.inner, 1);
    EXPECT_EQ(form.inner_run.stride, 1);
  }
  if (form.length == 0) return;
  // Some kernels go by outer and inner, others by kept runs: batches have the same numbers for both.
  for (std::int64_t batch = 0; batch < form.results(); ++batch) {
    const std::int64_t slow = batch / form.inner, fast = batch % form.inner;
    ASSERT_EQ(form.offset_of(batch, 0), form.offset + slow * form.outer_run.stride + fast * form.inner_run.stride);
    ASSERT_EQ(form.result_of(batch), slow * form.outer_run.result_stride + fast * form.inner_run.result_stride);
  }
}

void expect_same_elements(const array_view& view, const list& axes, element_order order) {
  const batches form = normalise(view, axes, order);
  auto expected = offsets_by_result(view, axes);
  ASSERT_EQ(form.results(), static_cast<std::int64_t>(expected.size()));
  ASSERT_EQ(form.elements(), view.elements());
  ASSERT_NO_FATAL_FAILURE(expect_pattern_holds(form));
  std::vector<bool> seen(expected.size(), false);
  for (std::int64_t batch = 0; batch < form.results(); ++batch) {
    const std::int64_t result = form.result_of(batch);
    ASSERT_GE(result, 0);
    ASSERT_LT(result, form.results());
    const auto at = static_cast<std::size_t>(result);
    ASSERT_FALSE(seen[at]) << "two batches write result " << result;
    seen[at] = true;
    list offsets = offsets_of_batch(form, batch);
    if (order == element_order::any) {
      std::sort(offsets.begin(), offsets.end());
      std::sort(expected[at].begin(), expected[at].end());
    }
    ASSERT_EQ(offsets, expected[at]);
  }
}

TEST(normalise, visits_what_nested_loops_visit) {
  test::random_bits random(1);
  for (int i = 0; i < 6000; ++i) {
    const array_view view = make_random_view(random, dtype::f32).view;
    const list axes = random_axes(random, view.rank());
    SCOPED_TRACE("extents " + to_string(view.extents) + " strides " + to_string(view.strides) + " axes " +
                 to_string(axes));
    ASSERT_NO_FATAL_FAILURE(expect_same_elements(view, axes, element_order::any));
    ASSERT_NO_FATAL_FAILURE(expect_same_elements(view, axes, element_order::indexed));
  }
}

array_view with_strides(list extents, list strides) {
  array_view view;
  view.extents = std::move(extents);
  view.strides = std::move(strides);
  return view;
}

array_view c_order(const list& extents) { return with_strides(extents, c_strides(extents)); }
array_view fortran_order(const list& extents) { return with_strides(extents, fortran_strides(extents)); }

struct shape {
  access pattern;
  std::int64_t outer, length, inner;
  bool operator==(const shape&) const = default;
};

std::ostream& operator<<(std::ostream& out, const shape& s) {
  return out << "pattern " << static_cast<int>(s.pattern) << " (" << s.outer << ", " << s.length << ", " << s.inner
             << ")";
}

shape shape_of(const array_view& view, const list& axes, element_order order = element_order::any) {
  const batches form = normalise(view, axes, order);
  return {form.pattern, form.outer, form.length, form.inner};
}

constexpr access rows = access::rows, columns = access::columns, strided = access::strided;

TEST(normalise, dense_arrays_in_c_order) {
  const array_view view = c_order({2, 3, 4, 5});
  EXPECT_EQ(shape_of(view, {0, 1, 2, 3}), (shape{rows, 1, 120, 1}));
  EXPECT_EQ(shape_of(view, {2, 3}), (shape{rows, 6, 20, 1}));
  EXPECT_EQ(shape_of(view, {0}), (shape{columns, 1, 2, 60}));
  EXPECT_EQ(shape_of(view, {0, 1}), (shape{columns, 1, 6, 20}));
  EXPECT_EQ(shape_of(view, {1}), (shape{columns, 2, 3, 20}));
  EXPECT_EQ(shape_of(view, {1, 2}), (shape{columns, 2, 12, 5}));
  EXPECT_EQ(shape_of(view, {0, 2}), (shape{strided, 15, 8, 1}));
  EXPECT_EQ(shape_of(view, {}), (shape{columns, 1, 1, 120}));
}

TEST(normalise, dense_arrays_in_fortran_order) {
  EXPECT_EQ(shape_of(fortran_order({300, 7}), {0}), (shape{rows, 7, 300, 1}));
  EXPECT_EQ(shape_of(fortran_order({300, 7}), {1}), (shape{columns, 1, 7, 300}));
  EXPECT_EQ(shape_of(fortran_order({30, 7, 5}), {0, 1, 2}), (shape{rows, 1, 1050, 1}));
  EXPECT_EQ(shape_of(fortran_order({30, 7, 5}), {1}), (shape{columns, 5, 7, 30}));
  // The index counts in C order, which is not the order of memory here.
  EXPECT_EQ(shape_of(fortran_order({30, 7}), {0, 1}, element_order::indexed), (shape{strided, 1, 210, 1}));
  EXPECT_EQ(shape_of(c_order({30, 7}), {0, 1}, element_order::indexed), (shape{rows, 1, 210, 1}));
}

TEST(normalise, kept_axes_stay_in_logical_order_when_memory_is_transposed) {
  const batches form = normalise(fortran_order({30, 7, 5}), {1}, element_order::any);
  EXPECT_EQ(form.outer_run.stride, 210);
  EXPECT_EQ(form.outer_run.result_stride, 1);
  EXPECT_EQ(form.inner_run.result_stride, 5);
}

TEST(normalise, single_values_and_extents_of_one) {
  EXPECT_EQ(shape_of(c_order({}), {}), (shape{rows, 1, 1, 1}));
  EXPECT_EQ(shape_of(c_order({1, 1}), {0}), (shape{rows, 1, 1, 1}));
  EXPECT_EQ(shape_of(c_order({1, 9, 1}), {1}), (shape{rows, 1, 9, 1}));
  EXPECT_EQ(shape_of(with_strides({1, 9, 1}, {77, 1, -5}), {0, 2}), (shape{columns, 1, 1, 9}));
}

TEST(normalise, reversed_views_are_walked_forwards_unless_the_index_counts) {
  const batches form = normalise(with_strides({10}, {-1}), {0}, element_order::any);
  EXPECT_EQ(form.pattern, rows);
  EXPECT_EQ(form.offset, -9);
  EXPECT_EQ(shape_of(with_strides({10}, {-1}), {0}, element_order::indexed), (shape{strided, 1, 10, 1}));
  EXPECT_EQ(shape_of(with_strides({4, 10}, {-10, -1}), {0, 1}), (shape{rows, 1, 40, 1}));
}

TEST(normalise, broadcasts_repeat_rows_without_memory) {
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_EQ(shape_of(with_strides({many, 1000}, {0, 1}), {1}), (shape{rows, many, 1000, 1}));
  EXPECT_EQ(shape_of(with_strides({many, 1000}, {0, 1}), {0}), (shape{columns, 1, many, 1000}));
  EXPECT_EQ(shape_of(with_strides({many, 1 << 22}, {0, 0}), {0, 1}), (shape{strided, 1, std::int64_t{1} << 62, 1}));
  EXPECT_EQ(shape_of(with_strides({1000, many}, {1, 0}), {1}), (shape{columns, 1, many, 1000}));
}

TEST(normalise, slices_with_gaps) {
  EXPECT_EQ(shape_of(with_strides({8, 100}, {128, 1}), {1}), (shape{rows, 8, 100, 1}));
  EXPECT_EQ(shape_of(with_strides({8, 100}, {128, 1}), {0}), (shape{columns, 1, 8, 100}));
  EXPECT_EQ(shape_of(with_strides({8, 100}, {128, 1}), {0, 1}), (shape{strided, 1, 800, 1}));
  EXPECT_EQ(shape_of(with_strides({100}, {2}), {0}), (shape{strided, 1, 100, 1}));
}

TEST(normalise, empty_arrays_keep_their_counts) {
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_EQ(shape_of(c_order({0}), {0}), (shape{rows, 1, 0, 1}));
  EXPECT_EQ(shape_of(c_order({3, 0}), {1}), (shape{rows, 3, 0, 1}));
  EXPECT_EQ(shape_of(c_order({3, 0}), {0}), (shape{rows, 0, 3, 1}));
  EXPECT_EQ(shape_of(c_order({0, many, 5}), {0}), (shape{rows, 5 * many, 0, 1}));
}

}  // namespace
}  // namespace multifold
