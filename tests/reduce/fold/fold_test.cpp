// Folds of arrays in memory, beside plain loops.
#include "multifold/fold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "random_bits.hpp"
#include "reduce/fold/ops.hpp"

namespace multifold {
namespace {

using testing_views::draw, testing_views::make_random_view, testing_views::random_axes;

struct sum_of_squares {
  using value_type = float;
  using accumulator = double;
  MULTIFOLD_HD double identity() const { return 0; }
  MULTIFOLD_HD double lift(float x, std::int64_t) const { return double{x} * x; }
  MULTIFOLD_HD double combine(double a, double b) const { return a + b; }
  MULTIFOLD_HD double lower(double sum, std::int64_t) const { return sum; }
};

TEST(fold, takes_the_struct_of_the_gpu) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const array_view view = make_view(x.data(), {2, 3});
  EXPECT_EQ(fold(sum_of_squares{}, view).value(), 91);
  EXPECT_EQ(fold(sum_of_squares{}, view, {.axes = {{1}}}).values, (std::vector<double>{14, 77}));
  EXPECT_EQ(fold(sum_of_squares{}, view, {.axes = {{-2}}}).values, (std::vector<double>{17, 29, 45}));
  const folded<double> each = fold(sum_of_squares{}, view, {.axes = std::vector<std::int64_t>{}});
  EXPECT_EQ(each.values, (std::vector<double>{1, 4, 9, 16, 25, 36}));
  EXPECT_EQ(each.extents, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(fold(sum_of_squares{}, view, {.axes = {{0}}, .keepdims = true}).extents, (std::vector<std::int64_t>{1, 3}));
}

TEST(fold, a_value_is_one) {
  const std::vector<float> x{2, 3};
  EXPECT_EQ(fold(sum_of_squares{}, make_view(x.data(), {})).value(), 4);
  EXPECT_EQ(fold(sum_of_squares{}, make_view(x.data(), {2})).value(), 13);
  EXPECT_THROW(fold(sum_of_squares{}, make_view(x.data(), {2}), {.axes = std::vector<std::int64_t>{}}).value(),
               shape_error);
}

TEST(fold, of_nothing_is_the_identity) {
  const folded<double> rows = fold(sum_of_squares{}, make_view<float>(nullptr, {3, 0}), {.axes = {{1}}});
  EXPECT_EQ(rows.values, (std::vector<double>{0, 0, 0}));
  const folded<double> columns = fold(sum_of_squares{}, make_view<float>(nullptr, {3, 0}), {.axes = {{0}}});
  EXPECT_TRUE(columns.values.empty());
  EXPECT_EQ(columns.extents, (std::vector<std::int64_t>{0}));
  const auto counted = make_fold<float>(
      0, [](float) { return 1; }, std::plus<>{}, [](int, std::int64_t count) { return count; });
  EXPECT_EQ(fold(counted, make_view<float>(nullptr, {0})).value(), 0);
}

template <class Op>
void check_random_views(const Op& op, std::int64_t most_elements, int cases, std::uint64_t seed) {
  test::random_bits random(seed);
  for (int i = 0; i < cases; ++i) {
    auto [view, first, buffer] = make_random_view(random, dtype::i32, most_elements);
    const std::vector<std::int32_t> x = random_integers(buffer, random());
    view.data = x.data() + first;
    const std::vector<std::int64_t> axes = random_axes(random, view.rank());
    const auto expected = fold_slowly(op, view, axes);
    for (const int threads : {1, 2, 7}) {
      ASSERT_EQ(fold(op, view, {.axes = axes, .threads = threads}).values, expected)
          << to_string(view.extents) << " by " << to_string(view.strides) << " over " << to_string(axes) << ", "
          << threads << " threads, case " << i;
    }
  }
}

TEST(fold, of_random_views_meets_each_element_once_with_its_index) {
  check_random_views(marked_elements{}, 600, 800, 1);
  check_random_views(marked_elements{}, 300'000, 60, 2);
}

TEST(fold, of_random_views_keeps_the_order_if_told_to) {
  check_random_views(composed_maps{}, 600, 800, 3);
  check_random_views(composed_maps{}, 300'000, 60, 4);
}

// Large enough for many tasks: rows, columns, axes between, all of it.
TEST(fold, of_large_arrays) {
  const std::vector<std::int32_t> x = random_integers(3 << 18);
  const struct {
    std::vector<std::int64_t> extents, axes;
  } cases[] = {{{3 << 18}, {0}},          {{3, 1 << 18}, {1}},  {{1 << 18, 3}, {0}},     {{768, 1024}, {0}},
               {{768, 1024}, {1}},        {{64, 192, 64}, {1}}, {{64, 192, 64}, {0, 2}}, {{2, 3 << 16, 2}, {1}},
               {{16, 16384, 3}, {0, 1}},  {{1 << 16, 12}, {1}}, {{7, 1170, 96}, {2, 0}}, {{48, 16384}, {0}},
               {{64, 192, 64}, {0, 1, 2}}};
  for (const auto& [extents, axes] : cases) {
    const array_view view = make_view(x.data(), extents);
    const auto marks = fold_slowly(marked_elements{}, view, axes);
    const auto maps = fold_slowly(composed_maps{}, view, axes);
    for (const int threads : {1, 2, 7}) {
      EXPECT_EQ(fold(marked_elements{}, view, {.axes = axes, .threads = threads}).values, marks) << to_string(extents);
      EXPECT_EQ(fold(composed_maps{}, view, {.axes = axes, .threads = threads}).values, maps) << to_string(extents);
    }
    array_view turned = view;  // the same memory, its axes the other way round
    std::reverse(turned.extents.begin(), turned.extents.end());
    std::reverse(turned.strides.begin(), turned.strides.end());
    const auto turned_maps = fold_slowly(composed_maps{}, turned, axes);
    EXPECT_EQ(fold(composed_maps{}, turned, {.axes = axes, .threads = 2}).values, turned_maps) << to_string(extents);
  }
}

// Leaves that begin and end within runs of the innermost axis.
TEST(fold, of_views_with_gaps) {
  const std::vector<std::int32_t> x = random_integers(1 << 20);
  const struct {
    std::vector<std::int64_t> extents, strides;
  } cases[] = {{{10'007, 7}, {9, 1}},
               {{7, 10'007}, {1, 9}},
               {{50, 3, 141}, {1000, 7, 2}},
               {{141, 50, 3}, {2, 1000, 300}},
               {{33, 129, 5}, {1, 33, 33 * 129}}};
  for (const auto& [extents, strides] : cases) {
    array_view view = make_view(x.data(), extents);
    view.strides = strides;
    for (const std::vector<std::int64_t>& axes : {all_axes(view.rank()), {0}, {-1}, {0, -1}}) {
      const auto marks = fold_slowly(marked_elements{}, view, axes);
      const auto maps = fold_slowly(composed_maps{}, view, axes);
      for (const int threads : {1, 7}) {
        EXPECT_EQ(fold(marked_elements{}, view, {.axes = axes, .threads = threads}).values, marks);
        EXPECT_EQ(fold(composed_maps{}, view, {.axes = axes, .threads = threads}).values, maps);
      }
    }
  }
}

// A number of threads, or memory order, is nothing that the bits of a rounded sum could tell.
TEST(fold, of_rounded_sums_has_the_same_bits_for_any_number_of_threads) {
  test::random_bits random(5);
  std::vector<float> x(3 << 20);
  for (float& value : x) value = std::ldexp(static_cast<float>(random() % 65536), static_cast<int>(random() % 40) - 20);
  const auto sum = make_fold<float>(
      0.0f, [](float v) { return v; }, std::plus<>{});
  for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
    for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{3072, 1024}, {6, 1 << 19}}) {
      const array_view view = make_view(x.data(), extents);
      const std::vector<float> once = fold(sum, view, {.axes = axes, .threads = 1}).values;
      for (const int threads : {0, 2, 3, 7, 16}) {
        EXPECT_EQ(fold(sum, view, {.axes = axes, .threads = threads}).values, once) << threads;
      }
    }
  }
  // In pairs above leaves of 128 additions in a row: less than 150 roundings on any way, where a running sum has 2^20.
  std::fill(x.begin(), x.end(), 0.1f);
  EXPECT_NEAR(fold(sum, make_view(x.data(), {1 << 20})).value(), 0.1f * (1 << 20), 150 * 0x1p-24 * 0.1 * (1 << 20));
}

TEST(fold, of_several_arrays_takes_each_with_its_strides_and_dtype) {
  test::random_bits random(6);
  const auto op = make_fold<std::int32_t, std::int16_t, double>(
      std::uint64_t{0},
      [](std::int32_t x, std::int16_t y, double z, std::int64_t i) {
        return mixed(mixed(mixed(static_cast<std::uint64_t>(x)) + static_cast<std::uint64_t>(y)) +
                     static_cast<std::uint64_t>(z) + static_cast<std::uint64_t>(i));
      },
      std::plus<>{});
  for (int i = 0; i < 300; ++i) {
    auto [view, first, buffer] = make_random_view(random, dtype::i32, i % 10 == 0 ? 100'000 : 600);
    const std::vector<std::int32_t> x = random_integers(buffer, random());
    view.data = x.data() + first;
    const auto count = static_cast<std::size_t>(view.elements());
    std::vector<std::int16_t> y(count);
    std::vector<double> z(count);
    for (std::size_t k = 0; k < count; ++k) y[k] = static_cast<std::int16_t>(random()), z[k] = static_cast<double>(k);
    const array_view dense = make_view(y.data(), view.extents);
    array_view columns = make_view(z.data(), view.extents);
    columns.strides = fortran_strides(view.extents);
    const std::vector<std::int64_t> axes = random_axes(random, view.rank());
    const auto a = testing_views::offsets_by_result(view, axes), b = testing_views::offsets_by_result(dense, axes),
               c = testing_views::offsets_by_result(columns, axes);
    std::vector<std::uint64_t> expected(a.size());
    for (std::size_t r = 0; r < a.size(); ++r) {
      for (std::size_t k = 0; k < a[r].size(); ++k) {
        expected[r] += op.lift(
            {(x.data() + first)[a[r][k]], y[static_cast<std::size_t>(b[r][k])], z[static_cast<std::size_t>(c[r][k])]},
            static_cast<std::int64_t>(k));
      }
    }
    ASSERT_EQ(fold(op, {view, dense, columns}, {.axes = axes, .threads = 2}).values, expected) << i;
  }
}

TEST(fold, of_pairs_is_a_map_before_a_reduction) {
  const std::vector<float> x{1, 5, 2}, y{4, 1, 2};
  const array_view a = make_view(x.data(), {3}), b = make_view(y.data(), {3});
  const auto gap = make_fold<float, float>(
      0.0f, [](float p, float q) { return std::abs(p - q); }, [](float p, float q) { return std::max(p, q); });
  EXPECT_EQ(fold(gap, {a, b}).value(), 4);
  struct product {
    using value_type = element_pair<float>;
    using accumulator = double;
    double identity() const { return 0; }
    double lift(element_pair<float> v, std::int64_t) const { return double{v.x} * v.y; }
    double combine(double p, double q) const { return p + q; }
    double lower(double p, std::int64_t) const { return p; }
  };
  EXPECT_EQ(fold(product{}, {a, b}).value(), 13);
}

TEST(fold, takes_every_dtype_at_any_address) {
  const auto check = [](auto one) {
    using T = decltype(one);
    std::vector<std::byte> memory(1000 * sizeof(T) + 1);
    for (std::size_t i = 0; i < 1000; ++i) {
      const T x = static_cast<T>(i % 2);
      std::memcpy(memory.data() + 1 + i * sizeof(T), &x, sizeof x);
    }
    const auto count = make_fold<T>(
        std::int64_t{0}, [](T x) { return x == T{1} ? 1 : 0; }, std::plus<>{});
    array_view view = make_view(memory.data() + 1, dtype_of<T>, {1000});
    EXPECT_EQ(fold(count, view).value(), 500) << name(dtype_of<T>);
    view.extents = {500};
    view.strides = {2};
    EXPECT_EQ(fold(count, view).value(), 0) << name(dtype_of<T>);
  };
  check(bool{}), check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
  check(std::uint8_t{}), check(std::uint16_t{}), check(std::uint32_t{}), check(std::uint64_t{});
  check(float{}), check(double{});
  const auto bits = make_fold<f16>(
      0, [](f16 x) { return int{x.bits}; }, std::plus<>{});
  const std::vector<f16> halves(10, f16{3});
  EXPECT_EQ(fold(bits, make_view(halves.data(), {10})).value(), 30);
  // Every byte but 0 is true, though a bool holds 0 or 1.
  const std::vector<std::uint8_t> truths{0, 1, 2, 255, 0};
  const auto all_true = make_fold<bool>(
      0, [](bool x) { return int{x}; }, std::plus<>{});
  EXPECT_EQ(fold(all_true, make_view(truths.data(), dtype::boolean, {5})).value(), 3);
}

TEST(fold, tells_its_progress_to_the_end) {
  const std::vector<float> x(40 << 20, 1);  // 160 MiB
  std::vector<std::int64_t> told;
  const auto op = make_fold<float>(
      0.0, [](float v) { return v; }, std::plus<>{});
  fold_options options;
  options.threads = 2;
  options.progress = [&](std::int64_t bytes) { told.push_back(bytes); };
  EXPECT_EQ(fold(op, make_view(x.data(), {40 << 20}), options).value(), 40 << 20);
  ASSERT_GE(told.size(), 2u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), INT64_C(160) << 20);
}

}  // namespace
}  // namespace multifold
