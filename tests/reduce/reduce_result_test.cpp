// Numbers out of results: of their own dtype, or of another that has them, and never another number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "multifold/multifold.hpp"

namespace multifold {
namespace {

template <class T>
reduce_result of(T x) {
  const T one[] = {x};
  return reduce(op_kind::max, one, {.engine = engine_choice::host});
}

TEST(reduce_result, has_its_values_as_a_span) {
  const std::vector<float> x{1, 2, 3, 4};
  const reduce_result rows = reduce(op_kind::sum, make_view(x.data(), {2, 2}), {.axes = {1}});
  EXPECT_EQ(std::vector<float>(rows.values<float>().begin(), rows.values<float>().end()), (std::vector<float>{3, 7}));
  EXPECT_THROW(rows.values<double>(), shape_error);
  EXPECT_THROW(rows.value<float>(), shape_error);
  EXPECT_THROW(rows.as<float>(), shape_error);
  EXPECT_EQ(of(2.5f).values<float>().size(), 1u);
  EXPECT_EQ(reduce(op_kind::sum, make_view(x.data(), {0, 4}), {.axes = {1}}).values<float>().size(), 0u);
  EXPECT_THROW(reduce(op_kind::describe, x).values<float>(), shape_error);
}

TEST(reduce_result, that_goes_away_leaves_a_copy_of_its_values) {
  const std::vector<float> x{1, 2, 3, 4};
  std::vector<float> seen;
  for (const float row : reduce(op_kind::sum, make_view(x.data(), {2, 2}), {.axes = {1}}).values<float>()) {
    seen.push_back(row);
  }
  EXPECT_EQ(seen, (std::vector<float>{3, 7}));
}

TEST(reduce_result, has_no_values_where_they_were_written_elsewhere) {
  const std::vector<float> x{1, 2};
  float there = 0;
  const reduce_result r = reduce(op_kind::sum, x, {.into = std::as_writable_bytes(std::span(&there, 1))});
  EXPECT_EQ(there, 3);
  EXPECT_THROW(r.values<float>(), shape_error);
  EXPECT_THROW(r.as<float>(), shape_error);
}

TEST(reduce_result, is_a_number_of_another_type_that_has_it) {
  EXPECT_EQ(of(0.1f).as<double>(), static_cast<double>(0.1f));
  EXPECT_EQ(of(0.5).as<float>(), 0.5f);
  EXPECT_EQ(of(3.0).as<std::int8_t>(), 3);
  EXPECT_EQ(of(std::int64_t{200}).as<std::uint8_t>(), 200);
  EXPECT_EQ(of(std::int64_t{1} << 62).as<float>(), 0x1p62f);
  EXPECT_EQ(of(std::uint64_t{1}).as<bool>(), true);
  EXPECT_EQ(of(true).as<int>(), 1);
  EXPECT_EQ(of(-0.0).as<int>(), 0);
  EXPECT_TRUE(std::signbit(of(-0.0).as<float>()));
  EXPECT_TRUE(std::isnan(of(std::numeric_limits<double>::quiet_NaN()).as<float>()));
  EXPECT_EQ(of(-std::numeric_limits<double>::infinity()).as<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(of(std::numeric_limits<std::uint64_t>::max()).as<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(to_double(of(2048.0).as<f16>()), 2048);
}

TEST(reduce_result, is_no_number_of_a_type_that_has_it_not) {
  EXPECT_THROW(of(0.1).as<float>(), overflow_error);
  EXPECT_THROW(of(1e300).as<float>(), overflow_error);
  EXPECT_THROW(of(2.5).as<std::int64_t>(), overflow_error);
  EXPECT_THROW(of(0x1p63).as<std::int64_t>(), overflow_error);
  EXPECT_THROW(of(0x1p64).as<std::uint64_t>(), overflow_error);
  EXPECT_THROW(of(std::int64_t{-1}).as<std::uint64_t>(), overflow_error);
  EXPECT_THROW(of(std::int64_t{256}).as<std::uint8_t>(), overflow_error);
  EXPECT_THROW(of((std::int64_t{1} << 53) + 1).as<double>(), overflow_error);
  EXPECT_THROW(of(INT64_MAX).as<double>(), overflow_error);
  EXPECT_THROW(of(UINT64_MAX).as<float>(), overflow_error);
  EXPECT_THROW(of(2).as<bool>(), overflow_error);
  EXPECT_THROW(of(2049.0).as<f16>(), overflow_error);
  EXPECT_THROW(of(70000).as<f16>(), overflow_error);
  EXPECT_THROW(of(std::numeric_limits<float>::infinity()).as<int>(), overflow_error);
  EXPECT_THROW(of(std::numeric_limits<float>::quiet_NaN()).as<int>(), overflow_error);
}

TEST(reduce_result, says_which_types_do_not_fit) {
  try {
    of(0.1).as<float>();
    FAIL();
  } catch (const overflow_error& e) {
    EXPECT_STREQ(e.what(), "the result is an f64 that no f32 is equal to; ask for another dtype of the result");
  }
}

}  // namespace
}  // namespace multifold
