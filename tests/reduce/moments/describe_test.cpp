// Descriptions through the API, and moments of sources in little memory beside those of arrays.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

reduce_options on_host() {
  reduce_options options;
  options.engine = engine_choice::host;
  return options;
}

TEST(describe_api, tells_everything_at_once) {
  const std::vector<std::int16_t> x{3, -1, 0, 7, 7, -1};
  const reduce_result r = reduce(op_kind::describe, make_view(x.data(), {6}), on_host());
  const auto s = r.described_as<std::int16_t>();
  EXPECT_EQ(s.count, 6);
  EXPECT_EQ(s.zero, 1);
  EXPECT_EQ(s.nan + s.positive_infinity + s.negative_infinity, 0);
  EXPECT_EQ(s.min, -1);
  EXPECT_EQ(s.argmin, 1);
  EXPECT_EQ(s.max, 7);
  EXPECT_EQ(s.argmax, 3);
  EXPECT_EQ(s.sum, 15);
  EXPECT_EQ(s.mean, 2.5);
  EXPECT_EQ(s.norm2, std::sqrt(109.0));
  EXPECT_EQ(r.type, dtype::f64);
  EXPECT_TRUE(r.extents.empty());
  EXPECT_EQ(r.achieved, accuracy::exact);
}

TEST(describe_api, agrees_with_the_single_operations) {
  std::vector<float> x(3 * 700);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(static_cast<float>(i * 37 % 101) - 50, int(i % 90) - 45);
  x[5] = std::numeric_limits<float>::quiet_NaN();
  x[1500] = std::numeric_limits<float>::infinity();
  const array_view view{x.data(), dtype::f32, {3, 700}, {1, 3}};
  for (const nan_policy policy : {nan_policy::propagate, nan_policy::omit}) {
    reduce_options options = on_host();
    options.axes = {{1}};
    options.nan = policy;
    reduce_options corrected = options;
    corrected.correction = 2;
    const reduce_result all = reduce(op_kind::describe, view, corrected);
    EXPECT_EQ(all.extents, (std::vector<std::int64_t>{3}));
    const auto same = [&](op_kind op, auto member, std::size_t bytes) {
      const reduce_result one = reduce(op, view, takes_correction(op) ? corrected : options);
      for (std::size_t i = 0; i < 3; ++i) {
        const summary& s = all.described(static_cast<std::int64_t>(i));
        EXPECT_EQ(std::memcmp(&(s.*member), one.data.data() + i * bytes, bytes), 0) << name(op) << " " << i;
      }
    };
    same(op_kind::sum, &summary::sum, 4);
    same(op_kind::mean, &summary::mean, 4);
    same(op_kind::std, &summary::std, 4);
    same(op_kind::norm2, &summary::norm2, 4);
    same(op_kind::min, &summary::min, 4);
    same(op_kind::max, &summary::max, 4);
    same(op_kind::argmin, &summary::argmin, 8);
    same(op_kind::argmax, &summary::argmax, 8);
    EXPECT_EQ(all.described(2).nan + all.described(1).nan + all.described(0).nan, 1);
  }
}

TEST(describe_api, axes_and_dimensions) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  reduce_options options = on_host();
  options.axes = {{0}};
  options.keepdims = true;
  const reduce_result r = reduce(op_kind::describe, make_view(x.data(), {2, 3}), options);
  EXPECT_EQ(r.extents, (std::vector<std::int64_t>{1, 3}));
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(r.described_as<double>(i).sum, 5 + 2 * static_cast<double>(i));
    EXPECT_EQ(r.described_as<double>(i).std, 1.5);
    EXPECT_EQ(r.described(i).argmax, 1);
  }
  EXPECT_THROW(r.described(3), shape_error);
  EXPECT_THROW(r.described(-1), shape_error);
  EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {6}), on_host()).described(), shape_error);
  EXPECT_THROW(r.value<double>(), shape_error);
}

TEST(describe_api, nothing_to_describe) {
  const float* none = nullptr;
  const reduce_result r = reduce(op_kind::describe, make_view(none, {0}), on_host());
  const auto s = r.described_as<float>();
  EXPECT_EQ(s.count, 0);
  EXPECT_EQ(s.argmin, -1);
  EXPECT_EQ(s.argmax, -1);
  EXPECT_EQ(s.sum, 0);
  EXPECT_EQ(s.norm2, 0);
  EXPECT_TRUE(std::isnan(s.mean));
  EXPECT_TRUE(std::isnan(s.std));
}

TEST(describe_api, result_dtypes_are_real) {
  const std::vector<float> x{1, 2, 4};
  reduce_options options = on_host();
  options.result = dtype::f64;
  const reduce_result r = reduce(op_kind::describe, make_view(x.data(), {3}), options);
  const auto s = r.described_as<float, double>();
  EXPECT_EQ(s.sum, 7);
  EXPECT_EQ(s.norm2, std::sqrt(21.0));
  EXPECT_EQ(s.max, 4);
  EXPECT_THROW(r.described_as<float>(), shape_error);
  EXPECT_THROW((r.described_as<double, double>()), shape_error);
  options.result = dtype::i64;
  EXPECT_THROW(reduce(op_kind::describe, make_view(x.data(), {3}), options), unsupported_error);
}

class in_little_memory : public ::testing::TestWithParam<std::int64_t> {};

// Whatever the sources are like and however little memory there is, the bits are those of the array.
TEST_P(in_little_memory, sources_give_the_bits_of_arrays) {
  std::vector<float> x(600 * 701), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(static_cast<float>(i * 37 % 1009) - 500, int(i % 120) - 60);
    y[i] = std::ldexp(static_cast<float>(i * 41 % 997) - 300, int(i * 7 % 110) - 55);
  }
  const std::vector<std::int64_t> extents{600, 701};
  for (const bool fortran : {false, true}) {
    array_view a = make_view(x.data(), extents), b = make_view(y.data(), extents);
    if (fortran) a.strides = b.strides = fortran_strides(extents);
    for (const op_kind op : {op_kind::norm2, op_kind::std, op_kind::dot, op_kind::cov, op_kind::describe}) {
      const bool pair = takes_two_arrays(op);
      for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
        reduce_options options = on_host();
        options.axes = reduced;
        const reduce_result wanted = pair ? reduce(op, a, b, options) : reduce(op, a, options);
        options.memory_bytes = GetParam();
        options.threads = 2;
        std::int64_t told = 0;
        options.progress = [&](std::int64_t bytes) { told = bytes; };
        for (const bool pipe : {false, true}) {
          SCOPED_TRACE(std::string(name(op)) + (fortran ? " fortran" : "") + (pipe ? " pipe" : ""));
          vector_source<float> first(x, extents, "x", fortran, pipe), second(y, extents, "y", fortran);
          const reduce_result got = pair ? reduce(op, first, second, options) : reduce(op, first, options);
          EXPECT_EQ(got.data, wanted.data);
          EXPECT_EQ(got.extents, wanted.extents);
          EXPECT_EQ(got.count, wanted.count);
          EXPECT_EQ(got.bytes, wanted.bytes);
          EXPECT_EQ(told, got.bytes);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(moments_api, in_little_memory, ::testing::Values(128 << 10, 300'000, 64 << 20));

TEST(moments_api, too_little_memory_is_said) {
  vector_source<float> x({1, 2}, {2}), y({3, 4}, {2});
  reduce_options options = on_host();
  options.memory_bytes = 64 << 10;
  EXPECT_EQ(reduce(op_kind::sumsq, x, options).value<float>(), 5);
  EXPECT_THROW(reduce(op_kind::dot, x, y, options), out_of_memory);
}

TEST(describe_api, streams_of_unknown_length) {
  const std::vector<std::uint8_t> x{4, 9, 250, 0};
  vector_source<std::uint8_t> pipe(x, {-1});
  const reduce_result r = reduce(op_kind::describe, pipe, on_host());
  EXPECT_EQ(r.described().count, 4);
  EXPECT_EQ(r.described_as<std::uint8_t>().sum, 263u);
  vector_source<std::uint8_t> again(x, {-1});
  EXPECT_EQ(reduce(op_kind::norm1, again, on_host()).value<std::uint64_t>(), 263u);
}

}  // namespace
}  // namespace multifold
