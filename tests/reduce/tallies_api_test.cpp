// any, all and count_nonzero through the API: values, dtypes of results, what is refused, segments, sources.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "multifold/multifold.hpp"
#include "multifold/segments.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

reduce_options on_host(nan_policy policy = nan_policy::propagate) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.nan = policy;
  return options;
}

struct truths {
  bool any, all;
  std::int64_t count;
  bool operator==(const truths&) const = default;
};

template <class T>
truths truths_of(const std::vector<T>& x, nan_policy policy = nan_policy::propagate) {
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const reduce_options how = on_host(policy);
  return {reduce(op_kind::any, view, how).template value<bool>(),
          reduce(op_kind::all, view, how).template value<bool>(),
          reduce(op_kind::count_nonzero, view, how).template value<std::int64_t>()};
}

TEST(tallies_api, tell_zeros_of_either_sign_from_all_else) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(truths_of<double>({0.0, -0.0}), (truths{false, false, 0}));
  EXPECT_EQ(truths_of<double>({tiny, -tiny, nan, -nan}), (truths{true, true, 4}));
  EXPECT_EQ(truths_of<double>({-0.0, nan}), (truths{true, false, 1}));
  EXPECT_EQ(truths_of<std::int16_t>({INT16_MIN, 0, 1}), (truths{true, false, 2}));
  EXPECT_EQ(truths_of<std::int64_t>({INT64_MIN, std::int64_t{1} << 32}), (truths{true, true, 2}));
  EXPECT_EQ(truths_of<std::uint8_t>({0, 128, 2}), (truths{true, false, 2}));
}

TEST(tallies_api, leave_out_nan) {
  EXPECT_EQ(truths_of<double>({nan, 0.0}, nan_policy::omit), (truths{false, false, 0}));
  EXPECT_EQ(truths_of<double>({nan, 3.0}, nan_policy::omit), (truths{true, true, 1}));
  EXPECT_EQ(truths_of<double>({nan, -nan}, nan_policy::omit), (truths{false, true, 0}));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(truths_of<double>({infinity, -infinity}, nan_policy::omit), (truths{true, true, 2}));
}

TEST(tallies_api, have_values_of_nothing) {
  EXPECT_EQ(truths_of<float>({}), (truths{false, true, 0}));
  const std::vector<float> x(1);
  reduce_options rows = on_host();
  rows.axes = {{1}};
  const reduce_result all = reduce(op_kind::all, make_view(x.data(), {3, 0}), rows);
  EXPECT_EQ(all.data, std::vector<std::byte>(3, std::byte{1}));
}

TEST(tallies_api, go_by_axes_and_views) {
  const std::vector<std::int32_t> x{1, 0, 3, 0, 0, 6};
  reduce_options columns = on_host();
  columns.axes = {{0}};
  const reduce_result count = reduce(op_kind::count_nonzero, make_view(x.data(), {2, 3}), columns);
  EXPECT_EQ(count.type, dtype::i64);
  EXPECT_EQ(count.extents, (std::vector<std::int64_t>{3}));
  const reduce_result any = reduce(op_kind::any, make_view(x.data(), {2, 3}), columns);
  EXPECT_EQ(any.type, dtype::boolean);
  EXPECT_EQ(any.achieved, accuracy::exact);
  EXPECT_EQ(any.data, (std::vector<std::byte>{std::byte{1}, std::byte{0}, std::byte{1}}));
}

TEST(tallies_api, give_results_of_other_dtypes) {
  const std::vector<float> x(300, -1.0f);
  const array_view view = make_view(x.data(), {300});
  reduce_options as = on_host();
  as.result = dtype::f16;
  EXPECT_EQ(to_double(reduce(op_kind::count_nonzero, view, as).value<f16>()), 300);
  as.result = dtype::f32;
  EXPECT_EQ(reduce(op_kind::all, view, as).value<float>(), 1.0f);
  as.result = dtype::i16;
  EXPECT_EQ(reduce(op_kind::any, view, as).value<std::int16_t>(), 1);
  as.result = dtype::u8;
  EXPECT_THROW(reduce(op_kind::count_nonzero, view, as), overflow_error);
  as.result = dtype::boolean;
  EXPECT_THROW(reduce(op_kind::count_nonzero, view, as), overflow_error);
}

TEST(tallies_api, refuse_what_has_no_meaning) {
  const std::vector<float> x(3);
  const array_view view = make_view(x.data(), {3});
  for (const op_kind op : {op_kind::any, op_kind::all, op_kind::count_nonzero}) {
    reduce_options initial = on_host(), correction = on_host();
    initial.initial = {true, false, 0, 1.0};
    correction.correction = 1;
    EXPECT_THROW(reduce(op, view, initial), unsupported_error) << name(op);
    EXPECT_THROW(reduce(op, view, correction), unsupported_error) << name(op);
  }
}

TEST(tallies_api, of_segments_that_may_be_empty) {
  const std::vector<std::int8_t> x{1, 0, 2, 3, 0, 0};
  const std::vector<std::int64_t> offsets{0, 0, 2, 4, 6};
  const auto list = segments::from_offsets(make_view(offsets.data(), {5}));
  const array_view view = make_view(x.data(), {6});
  const auto truths_of_each = [&](op_kind op) {
    std::vector<int> each;
    for (const std::byte b : reduce(op, view, list, on_host()).data) each.push_back(std::to_integer<int>(b));
    return each;
  };
  EXPECT_EQ(truths_of_each(op_kind::any), (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(truths_of_each(op_kind::all), (std::vector<int>{1, 0, 1, 0}));
}

TEST(tallies_api, of_a_source_in_chunks) {
  std::vector<float> x(3'000'000, 1.0f);
  reduce_options small = on_host();
  small.memory_bytes = 256 << 10;
  for (const bool pipe : {false, true}) {
    for (const float last : {1.0f, -0.0f}) {
      x.back() = last;
      const auto of = [&](op_kind op) {
        vector_source<float> source(x, {3'000'000}, "vector", false, pipe);
        return reduce(op, source, small);
      };
      EXPECT_TRUE(of(op_kind::any).value<bool>());
      EXPECT_EQ(of(op_kind::all).value<bool>(), last != 0);
      EXPECT_EQ(of(op_kind::count_nonzero).value<std::int64_t>(), last != 0 ? 3'000'000 : 2'999'999);
    }
  }
}

// Of sources whose length is known only when they end, too.
TEST(tallies_api, of_a_source_of_unknown_length) {
  for (const float last : {1.0f, 0.0f}) {
    std::vector<float> x(100'000, 1.0f);
    x.back() = last;
    vector_source<float> source(x, {-1});
    EXPECT_EQ(reduce(op_kind::all, source, on_host()).value<bool>(), last != 0);
  }
}

}  // namespace
}  // namespace multifold
