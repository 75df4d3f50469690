// Folds of sources: the bits of the array in memory, in bounded memory.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "multifold/fold.hpp"
#include "random_bits.hpp"
#include "reduce/fold/ops.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

using axes_list = std::vector<std::int64_t>;
using test::expect_refusal;

array_view view_in(const std::vector<std::int32_t>& x, const axes_list& extents, bool fortran) {
  array_view view = make_view(x.data(), extents);
  if (fortran) view.strides = fortran_strides(extents);
  return view;
}

template <class Op>
void check(const Op& op, const std::vector<std::int32_t>& x, const axes_list& extents, const axes_list& axes,
           std::int64_t memory, bool fortran = false) {
  const auto expected = fold_slowly(op, view_in(x, extents, fortran), axes);
  for (const bool pipe : {false, true}) {
    for (const int threads : {1, 2, 7}) {
      vector_source<std::int32_t> input(x, extents, "numbers", fortran, pipe);
      const auto found = fold(op, input, {.axes = axes, .threads = threads, .memory_bytes = memory});
      EXPECT_EQ(found.values, expected) << to_string(extents) << " over " << to_string(axes) << " in " << memory;
    }
  }
}

TEST(fold_sources, over_all_axes_and_some) {
  const std::vector<std::int32_t> x = random_integers(3 << 18);  // 3 MiB
  for (const std::int64_t memory : {std::int64_t{0}, INT64_C(1) << 20}) {
    for (const axes_list& extents : {axes_list{3 << 18}, {3, 1 << 18}, {3 << 9, 1 << 9}, {1 << 17, 6}}) {
      if (memory != 0 && extents[0] == 3) continue;  // columns do not fit
      axes_list all(extents.size());
      std::iota(all.begin(), all.end(), 0);
      check(marked_elements{}, x, extents, all, memory);
      check(composed_maps{}, x, extents, all, memory);
      for (const std::int64_t axis : all) {
        check(marked_elements{}, x, extents, {axis}, memory);
        check(composed_maps{}, x, extents, {axis}, memory);
        check(composed_maps{}, x, extents, {axis}, 0, true);
      }
    }
  }
}

TEST(fold_sources, of_slices_that_are_read_in_parts) {
  const std::vector<std::int32_t> x = random_integers(5 << 20);  // 20 MiB
  check(composed_maps{}, x, {5 << 20}, {0}, 0);
  check(composed_maps{}, x, {2, 5 << 19}, {1}, 0);
  check(composed_maps{}, x, {2, 5 << 9, 1 << 10}, {1}, 0);
}

TEST(fold_sources, over_an_axis_between) {
  const std::vector<std::int32_t> x = random_integers(3 << 18);
  check(composed_maps{}, x, {3, 1 << 9, 1 << 9}, {1}, 0);
  check(composed_maps{}, x, {1 << 9, 3, 1 << 9}, {1}, 1 << 20);
  check(marked_elements{}, x, {3, 1 << 12, 64}, {1}, 512 << 10);
  check(marked_elements{}, x, {3, 1 << 12, 64}, {-2}, 512 << 10, true);
  check(composed_maps{}, x, {6, 1 << 8, 1 << 9}, {1, 2}, 512 << 10);
  check(composed_maps{}, x, {6, 1 << 8, 1 << 9}, axes_list{}, 1 << 20);
  // Two axes, with one between: a slice is read as a whole.
  check(composed_maps{}, x, {6, 1 << 8, 1 << 9}, {0, 2}, 0);
  check(composed_maps{}, x, {6, 1 << 8, 1 << 9}, {0, 1, 2}, 0, true);
}

TEST(fold_sources, of_few_elements) {
  const std::vector<std::int32_t> x = random_integers(24);
  check(composed_maps{}, x, {24}, {0}, 0);
  check(composed_maps{}, x, {2, 3, 4}, {0, 2}, 0);
  check(composed_maps{}, x, {2, 3, 4}, {1}, 0, true);
  vector_source<std::int32_t> one({7}, {});
  EXPECT_EQ(fold(marked_elements{}, one).value(), mixed(7) ^ 1);
  vector_source<std::int32_t> none({}, {0, 3});
  EXPECT_EQ(fold(marked_elements{}, none, {.axes = {{0}}}).values, (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_TRUE(fold(marked_elements{}, none, {.axes = {{1}}}).values.empty());
}

TEST(fold_sources, of_unknown_length) {
  for (const std::int64_t length : {1, 4096, 4097, 300'000, 2'000'003}) {
    const std::vector<std::int32_t> x = random_integers(length);
    const auto expected = fold_slowly(composed_maps{}, make_view(x.data(), {length}), {0});
    for (const int threads : {1, 7}) {
      vector_source<std::int32_t> pipe(x, {-1});
      EXPECT_EQ(fold(composed_maps{}, pipe, {.threads = threads}).values, expected) << length;
    }
    vector_source<std::int32_t> counted(x, {-1});
    EXPECT_EQ(fold(marked_elements{}, counted).values,
              fold_slowly(marked_elements{}, make_view(x.data(), {length}), {0}));
  }
  const auto nothing = make_source("nothing", {dtype::i32, {-1}, false},
                                   [](std::int64_t, std::span<std::byte>) { return std::int64_t{0}; });
  EXPECT_EQ(fold(marked_elements{}, *nothing).value(), 0u);
  vector_source<std::int32_t> pipe({1, 2}, {-1});
  expect_refusal<shape_error>("a stream of unknown length has one axis, and 0 were named",
                              [&] { fold(marked_elements{}, pipe, {.axes = axes_list{}}); });
}

TEST(fold_sources, of_rounded_sums_have_the_bits_of_memory) {
  test::random_bits random(9);
  std::vector<float> x(3 << 20);
  for (float& value : x) value = std::ldexp(static_cast<float>(random() % 65536), static_cast<int>(random() % 40) - 20);
  const auto sum = make_fold<float>(
      0.0f, [](float v) { return v; }, std::plus<>{});
  for (const axes_list& extents : {axes_list{3, 1 << 20}, {3 << 10, 1 << 10}}) {
    for (const axes_list& axes : {axes_list{0}, {1}, {0, 1}}) {
      const auto expected = fold(sum, make_view(x.data(), extents), {.axes = axes}).values;
      for (const std::int64_t memory : {INT64_C(0), INT64_C(8) << 20, INT64_C(2) << 20}) {
        if (memory != 0 && extents[0] == 3 && axes == axes_list{0}) continue;  // does not fit
        vector_source<float> input(x, extents);
        EXPECT_EQ(fold(sum, input, {.axes = axes, .threads = 3, .memory_bytes = memory}).values, expected) << memory;
      }
    }
  }
}

TEST(fold_sources, that_do_not_fit_are_refused_with_what_they_take) {
  const std::vector<std::int32_t> x = random_integers(3 << 20);
  vector_source<std::int32_t> wide(x, {3, 1 << 20}, "wide");
  expect_refusal<out_of_memory>("wide: reading in chunks takes a buffer of 12582912 bytes, and 1048576 are",
                                [&] { fold(marked_elements{}, wide, {.axes = {{0}}, .memory_bytes = 1 << 20}); });
  vector_source<std::int32_t> apart(x, {6, 1 << 9, 1 << 10}, "apart");
  expect_refusal<out_of_memory>("apart: the elements of a result lie apart there", [&] {
    fold(marked_elements{}, apart, {.axes = {{0, 2}}, .memory_bytes = 1 << 20});
  });
  vector_source<std::int32_t> columns(x, {1 << 10, 3 << 10}, "columns", true);
  expect_refusal<out_of_memory>("not in the order of their indices",
                                [&] { fold(composed_maps{}, columns, {.memory_bytes = 1 << 20}); });
  expect_refusal<shape_error>("takes i32 elements, and the array holds f64", [&] {
    vector_source<double> input({1.0}, {1});
    fold(marked_elements{}, input);
  });
}

// An operation that does not look at the index does not mind the order of a file.
TEST(fold_sources, of_columns_first_are_read_as_they_come) {
  const std::vector<std::int32_t> x = random_integers(3 << 20);
  const auto sum = make_fold<std::int32_t>(
      std::int64_t{0}, [](std::int32_t v) { return v; }, std::plus<>{});
  vector_source<std::int32_t> columns(x, {1 << 10, 3 << 10}, "columns", true);
  EXPECT_EQ(fold(sum, columns, {.memory_bytes = 1 << 20}).value(),
            std::accumulate(x.begin(), x.end(), std::int64_t{0}));
}

TEST(fold_sources, end_with_what_is_thrown_on_the_way) {
  const std::vector<std::int32_t> x = random_integers(3 << 20);
  const auto fails = make_fold<std::int32_t>(
      0, [](std::int32_t, std::int64_t i) { return i == 2'000'000 ? throw std::domain_error("lift failed") : 0; },
      std::plus<>{});
  for (const bool pipe : {false, true}) {
    vector_source<std::int32_t> input(x, {3 << 20}, "numbers", false, pipe);
    expect_refusal<std::domain_error>("lift failed", [&] { fold(fails, input, {.threads = 3}); });
  }
  const auto breaks = make_source("broken", {dtype::i32, {3 << 20}, false},
                                  [](std::int64_t first, std::span<std::byte> chunk) -> std::int64_t {
                                    if (first > 1'000'000) throw io_error("broken: the wire is cut");
                                    return static_cast<std::int64_t>(chunk.size() / 4);
                                  });
  expect_refusal<io_error>("the wire is cut", [&] { fold(marked_elements{}, *breaks, {.threads = 3}); });
  const auto short_one =
      make_source("short", {dtype::i32, {3 << 20}, false}, [](std::int64_t first, std::span<std::byte> chunk) {
        return first > 1'000'000 ? 0 : static_cast<std::int64_t>(chunk.size() / 4);
      });
  expect_refusal<format_error>("short", [&] { fold(marked_elements{}, *short_one, {.threads = 3}); });
  std::stop_source stop;
  stop.request_stop();
  fold_options options;
  options.stop = stop.get_token();
  vector_source<std::int32_t> input(x, {3 << 20});
  expect_refusal<cancelled_error>("cancelled", [&] { fold(marked_elements{}, input, options); });
}

TEST(fold_sources, tell_their_progress_to_the_end) {
  const std::vector<std::int32_t> x = random_integers(12 << 20);
  for (const axes_list& axes : {axes_list{0}, {1}}) {
    std::vector<std::int64_t> told;
    fold_options options;
    options.axes = axes;
    options.threads = 2;
    options.progress = [&](std::int64_t bytes) { told.push_back(bytes); };
    vector_source<std::int32_t> input(x, {4, 3 << 20});
    fold(marked_elements{}, input, options);
    ASSERT_FALSE(told.empty());
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), INT64_C(48) << 20);
  }
}

}  // namespace
}  // namespace multifold
