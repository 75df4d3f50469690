// Norms, dot products, variances and covariances through the API: views of any strides, axes, result dtypes, and what
// is refused. Elements are small integers, so that the oracle's sums are exact and its quotients and roots of sums are
// rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"

namespace multifold {
namespace {

using axes_list = std::vector<std::int64_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr op_kind moments[] = {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::var,
                               op_kind::std,   op_kind::dot,   op_kind::cov};

reduce_options on_host(std::int64_t correction = 0) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.correction = correction;
  return options;
}

double expected(op_kind op, const std::vector<double>& x, const std::vector<double>& y, std::int64_t correction) {
  const auto n = static_cast<double>(x.size());
  double magnitudes = 0, squares = 0, products = 0, sum = 0, other_sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    magnitudes += std::fabs(x[i]);
    squares += x[i] * x[i];
    products += x[i] * y[i];
    sum += x[i];
    other_sum += y[i];
  }
  const double divisor = n * (n - static_cast<double>(correction));
  const double variance = (n * squares - sum * sum) / divisor;
  switch (op) {
    case op_kind::norm1: return magnitudes;
    case op_kind::sumsq: return squares;
    case op_kind::norm2: return std::sqrt(squares);
    case op_kind::var: return variance;
    case op_kind::std: return std::sqrt(variance);
    case op_kind::dot: return products;
    default: return (n * products - sum * other_sum) / divisor;
  }
}

// Every (kept, reduced) pair of a view of rank 2 that is reduced over `axis`, or over both axes if it is empty.
std::vector<std::vector<double>> batches_of(const array_view& view, std::optional<std::int64_t> axis) {
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return static_cast<const double*>(view.data)[i * view.strides[0] + j * view.strides[1]];
  };
  const std::int64_t kept = axis ? view.extents[*axis == 0 ? 1 : 0] : 1;
  std::vector<std::vector<double>> all(static_cast<std::size_t>(kept));
  for (std::int64_t i = 0; i < view.extents[0]; ++i) {
    for (std::int64_t j = 0; j < view.extents[1]; ++j) {
      all[static_cast<std::size_t>(!axis ? 0 : *axis == 0 ? j : i)].push_back(at(i, j));
    }
  }
  return all;
}

std::vector<double> values_of(const reduce_result& result) {
  std::vector<double> values(result.data.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), result.data.data(), result.data.size());
  return values;
}

reduce_result reduce_views(op_kind op, const array_view& x, const array_view& y, const reduce_options& options) {
  return takes_two_arrays(op) ? reduce(op, x, y, options) : reduce(op, x, options);
}

struct numbers {
  std::vector<double> x, y;
  explicit numbers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(static_cast<double>(static_cast<int>(i * 7 % 23) - 9));
      y.push_back(static_cast<double>(static_cast<int>(i * 5 % 17) - 3));
    }
  }
};

// Both arrays of the same strides, the first element `first` elements into the memory.
void check(const numbers& n, std::int64_t first, const std::vector<std::int64_t>& extents,
           const std::vector<std::int64_t>& strides) {
  const array_view x{n.x.data() + first, dtype::f64, extents, strides};
  const array_view y{n.y.data() + first, dtype::f64, extents, strides};
  for (const op_kind op : moments) {
    for (const std::optional<std::int64_t> axis : {std::optional<std::int64_t>{}, {0}, {1}}) {
      for (const bool keepdims : {false, true}) {
        SCOPED_TRACE(std::string(name(op)) + " strides " + to_string(strides) + (axis ? std::to_string(*axis) : "all"));
        reduce_options options = on_host(takes_correction(op) ? 1 : 0);
        if (axis) options.axes = axes_list{*axis - 2};
        options.keepdims = keepdims;
        const reduce_result result = reduce_views(op, x, y, options);
        const auto in_x = batches_of(x, axis), in_y = batches_of(y, axis);
        const std::vector<double> got = values_of(result);
        ASSERT_EQ(got.size(), in_x.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double wanted = expected(op, in_x[i], in_y[i], 1);
          if (op == op_kind::std) EXPECT_DOUBLE_EQ(got[i], wanted);  // the oracle rounds twice
          else EXPECT_EQ(got[i], wanted);
        }
        EXPECT_EQ(result.extents, result_extents(x, options.axes.of(2), keepdims));
        EXPECT_EQ(result.achieved, accuracy::exact);
        EXPECT_EQ(result.count, extents[0] * extents[1]);
        EXPECT_EQ(result.bytes, result.count * 8 * (takes_two_arrays(op) ? 2 : 1));
      }
    }
  }
}

TEST(moments_api, views_of_any_strides) {
  const numbers n(4000);
  check(n, 0, {31, 17}, {17, 1});       // C order
  check(n, 0, {31, 17}, {1, 31});       // Fortran order
  check(n, 5, {31, 17}, {40, 2});       // every other element of some columns
  check(n, 1700, {31, 17}, {-50, -1});  // backwards
  check(n, 600, {31, 17}, {17, -3});
  check(n, 3, {31, 17}, {0, 1});  // the same row again and again
  check(n, 0, {2, 2000}, {2000, 1});
  check(n, 0, {2000, 2}, {2, 1});
}

TEST(moments_api, misaligned_elements) {
  std::vector<char> x(8 * 100 + 1), y(8 * 100 + 1);
  const numbers n(100);
  std::memcpy(x.data() + 1, n.x.data(), 800);
  std::memcpy(y.data() + 1, n.y.data(), 800);
  const array_view a = make_view(x.data() + 1, dtype::f64, {100}), b = make_view(y.data() + 1, dtype::f64, {100});
  EXPECT_EQ(reduce(op_kind::dot, a, b, on_host()).value<double>(), expected(op_kind::dot, n.x, n.y, 0));
  EXPECT_EQ(reduce(op_kind::var, a, on_host()).value<double>(), expected(op_kind::var, n.x, n.y, 0));
}

TEST(moments_api, an_array_with_itself) {
  const numbers n(1000);
  const array_view x = make_view(n.x.data(), {1000});
  EXPECT_EQ(reduce(op_kind::dot, x, x, on_host()).data, reduce(op_kind::sumsq, x, on_host()).data);
  EXPECT_EQ(reduce(op_kind::cov, x, x, on_host(3)).data, reduce(op_kind::var, x, on_host(3)).data);
}

TEST(moments_api, no_elements_have_no_mean) {
  const double* none = nullptr;
  const array_view x = make_view(none, {0}), rows = make_view(none, {3, 0});
  for (const op_kind op : moments) {
    const double value = reduce_views(op, x, x, on_host()).value<double>();
    if (takes_correction(op)) EXPECT_TRUE(std::isnan(value)) << name(op);
    else EXPECT_EQ(value, 0) << name(op);
    reduce_options by_row = on_host();
    by_row.axes = axes_list{1};
    EXPECT_EQ(values_of(reduce_views(op, rows, rows, by_row)).size(), 3u) << name(op);
  }
}

TEST(moments_api, degrees_of_freedom_do_not_go_below_none) {
  const std::vector<double> x{1, 3, 5}, same{4, 4, 4}, falling{5, 3, 1};
  const array_view v = make_view(x.data(), {3}), s = make_view(same.data(), {3}), f = make_view(falling.data(), {3});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reduce(op_kind::var, v, on_host(2)).value<double>(), 8);
  for (const std::int64_t correction : {INT64_C(3), INT64_C(4), INT64_MAX}) {
    EXPECT_EQ(reduce(op_kind::var, v, on_host(correction)).value<double>(), infinity);
    EXPECT_EQ(reduce(op_kind::std, v, on_host(correction)).value<double>(), infinity);
    EXPECT_EQ(reduce(op_kind::cov, v, f, on_host(correction)).value<double>(), -infinity);
    EXPECT_TRUE(std::isnan(reduce(op_kind::var, s, on_host(correction)).value<double>()));
  }
  const array_view one = make_view(x.data(), {1}), scalar = make_view(x.data(), {});
  EXPECT_EQ(reduce(op_kind::var, one, on_host()).value<double>(), 0);
  EXPECT_TRUE(std::isnan(reduce(op_kind::var, one, on_host(1)).value<double>()));
  EXPECT_EQ(reduce(op_kind::dot, scalar, scalar, on_host()).value<double>(), 1);
}

// Differences of a hundred millionth at a height of 2^30, of which no square has room in double.
TEST(moments_api, nothing_cancels) {
  const std::vector<double> x{0x1p30, 0x1p30 + 0x1p-20, 0x1p30 - 0x1p-20, 0x1p30};
  EXPECT_EQ(reduce(op_kind::var, make_view(x.data(), {4}), on_host()).value<double>(), 0x1p-41);
  const std::vector<float> big{0x1p100f, 1, -0x1p100f}, ones{1, 3, 1};
  const array_view b = make_view(big.data(), {3}), o = make_view(ones.data(), {3});
  EXPECT_EQ(reduce(op_kind::dot, b, o, on_host()).value<float>(), 3.0f);
}

TEST(moments_api, result_dtypes) {
  const std::vector<std::int8_t> x{-128, 127, 3};
  const array_view v = make_view(x.data(), {3});
  reduce_options options = on_host();
  EXPECT_EQ(reduce(op_kind::sumsq, v, options).value<std::int64_t>(), 16384 + 16129 + 9);
  EXPECT_EQ(reduce(op_kind::norm1, v, options).value<std::int64_t>(), 258);
  EXPECT_EQ(reduce(op_kind::norm2, v, options).type, dtype::f64);
  options.result = dtype::i16;
  EXPECT_EQ(reduce(op_kind::sumsq, v, options).value<std::int16_t>(), 32522);
  options.result = dtype::i8;
  EXPECT_THROW(reduce(op_kind::sumsq, v, options), overflow_error);
  EXPECT_THROW(reduce(op_kind::dot, v, v, options), overflow_error);
  EXPECT_THROW(reduce(op_kind::var, v, options), unsupported_error);
  EXPECT_THROW(reduce(op_kind::norm2, v, options), unsupported_error);
  options.result = dtype::f32;
  EXPECT_EQ(reduce(op_kind::norm2, v, options).value<float>(), static_cast<float>(std::sqrt(32522.0)));
  const std::vector<std::uint64_t> huge(3, UINT64_MAX);
  const array_view h = make_view(huge.data(), {3});
  EXPECT_THROW(reduce(op_kind::dot, h, h, on_host()), overflow_error);
  EXPECT_EQ(reduce(op_kind::dot, h, h, options).value<float>(), std::numeric_limits<float>::infinity());
}

TEST(moments_api, omit_leaves_out_pairs) {
  const std::vector<double> x{1, nan, 3, 4, 5}, y{2, 7, nan, 1, 1}, left_x{1, 4, 5}, left_y{2, 1, 1};
  const array_view a = make_view(x.data(), {5}), b = make_view(y.data(), {5});
  reduce_options omit = on_host(1);
  EXPECT_TRUE(std::isnan(reduce(op_kind::cov, a, b, omit).value<double>()));
  omit.nan = nan_policy::omit;
  EXPECT_EQ(reduce(op_kind::cov, a, b, omit).value<double>(), expected(op_kind::cov, left_x, left_y, 1));
  omit.correction = 0;
  EXPECT_EQ(reduce(op_kind::dot, a, b, omit).value<double>(), 11);
  EXPECT_EQ(reduce(op_kind::norm1, a, omit).value<double>(), 13);
}

}  // namespace
}  // namespace multifold
