// What can be reduced as it is: ranges, mdspans and own types give the results of views of their memory.
#include "multifold/view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "multifold/complex.hpp"
#include "multifold/multifold.hpp"

namespace {

// As std::mdspan with layout_stride, in two dimensions; Reference as the accessor's.
template <class T, class Reference = T&>
struct strided_table {
  using element_type = T;
  using reference = Reference;
  T* first;
  std::array<std::size_t, 2> extents, strides;
  static constexpr std::size_t rank() { return 2; }
  T* data_handle() const { return first; }
  std::size_t extent(std::size_t axis) const { return extents[axis]; }
  std::size_t stride(std::size_t axis) const { return strides[axis]; }
};

// Has data and size, as matrices of some libraries have, and no iterators: not what its memory holds.
struct every_other {
  const float* memory;
  const float* data() const { return memory; }
  std::size_t size() const { return 2; }
};

struct own_matrix {
  std::vector<float> memory;
  std::int64_t rows, columns, apart;
};

}  // namespace

template <>
struct multifold::array_traits<own_matrix> {
  using element_type = float;
  static array_view view(const own_matrix& m) { return make_view(m.memory.data(), {m.rows, m.columns}, {m.apart, 1}); }
};

namespace multifold {
namespace {

TEST(views, of_contiguous_ranges) {
  const std::vector<float> v{1, 2, 3.5f};
  const int array[] = {1, -5, 9};
  const std::array<std::uint8_t, 3> bytes{255, 255, 255};
  const std::span<const double> none;
  EXPECT_EQ(sum(v), 6.5f);
  EXPECT_EQ(sum(array), 5);
  EXPECT_EQ(sum(bytes), 765u);
  EXPECT_EQ(sum(none), 0.0);
  EXPECT_EQ(sum(std::vector<double>{0.1, 0.2}), 0.1 + 0.2);
  EXPECT_EQ(as_view(v).data, v.data());
  EXPECT_EQ(as_view(array).extents, (std::vector<std::int64_t>{3}));
  std::vector<float> mutable_elements = v;
  EXPECT_EQ(max(mutable_elements), 3.5f);
}

TEST(views, of_mdspans_have_their_strides) {
  std::vector<std::int64_t> memory(100);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int64_t>(i);
  const strided_table<const std::int64_t> table{memory.data() + 5, {3, 4}, {10, 2}};
  EXPECT_EQ(as_view(table).strides, (std::vector<std::int64_t>{10, 2}));
  EXPECT_EQ(sum(table), 3 * (5 + 7 + 9 + 11) + 4 * (10 + 20));
  EXPECT_EQ(max(table), 31);
  EXPECT_EQ(argmax(table), 11);
  EXPECT_EQ(dot(table, table), sumsq(table));
  const reduce_result rows = reduce(op_kind::min, table, {.axes = {1}});
  EXPECT_EQ(rows.extents, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(rows.values<std::int64_t>()[2], 25);
}

TEST(views, of_own_types) {
  const own_matrix m{{1, 2, -9, 3, 4, -9}, 2, 2, 3};
  EXPECT_EQ(sum(m), 10);
  EXPECT_EQ(describe(m).min, 1);
  EXPECT_EQ(reduce(op_kind::sum, m, {.axes = {0}}).values<float>()[1], 6);
  EXPECT_EQ(reduce(op_kind::dot, m, m, {.axes = {0}}).values<float>()[1], 20);
}

TEST(views, of_a_type_that_is_known_are_arrays_themselves) {
  static_assert(!std::is_convertible_v<typed_view<int>, typed_view<long>> &&
                !std::is_convertible_v<array_view, typed_view<int>>);
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(sum(make_view(x.data(), {2, 3})), 21);
  EXPECT_EQ(sum(make_view(x.data(), {3}, {2})), 9);
  EXPECT_EQ(dot(make_view(x.data(), {3}), make_view(x.data() + 3, {3}, {-1})), 4 + 6 + 6);
  const array_view any = make_view(x.data(), {2, 3});
  EXPECT_EQ(reduce(op_kind::sum, any).value<float>(), 21);
}

TEST(views, are_not_had_of_what_only_looks_alike) {
  static_assert(!viewable<every_other> && !viewable<std::vector<bool>> && !viewable<std::list<float>>);
  static_assert(!viewable<std::vector<std::string>> && !viewable<std::vector<std::complex<float>>> && !viewable<float>);
  static_assert(!viewable<strided_table<float, float>>);  // an accessor that makes something else of the memory
  static_assert(viewable<strided_table<float>> && viewable<std::vector<float>> && viewable<float[3]>);
}

TEST(views, hold_the_integers_and_truths_of_the_language) {
  EXPECT_EQ(sum(std::vector<long long>{1, -3}), -2);
  EXPECT_EQ(sum(std::vector<unsigned long>{1, 3}), 4u);
  EXPECT_EQ(max(std::vector<unsigned long long>{1, 3}), 3u);
  EXPECT_EQ(sum(std::vector<short>{1, -3}), -2);
  const bool truths[] = {true, false, true};
  EXPECT_EQ(sum(truths), 2);
  EXPECT_TRUE(any(truths));
  EXPECT_FALSE(all(truths));
  EXPECT_EQ(count_nonzero(truths), 2);
  EXPECT_EQ(mean(truths), 2 / 3.0);
  static_assert(std::is_same_v<decltype(sum(truths)), std::int64_t> && std::is_same_v<decltype(max(truths)), bool>);
  static_assert(std::is_same_v<decltype(sum(std::vector<long long>{})), long long>);
  static_assert(std::is_same_v<decltype(sum(std::vector<std::uint8_t>{})), std::uint64_t>);
  static_assert(std::is_same_v<decltype(mean(std::vector<int>{})), double>);
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MAX__))
  EXPECT_EQ(static_cast<float>(sum(std::vector<_Float16>{1, 2})), 3.0f);
#endif
}

TEST(views, have_every_value_that_reduce_has) {
  const std::vector<std::int32_t> x{3, -4, 0, 12};
  const std::vector<std::int32_t> y{1, 1, 2, 2};
  const auto value = [&]<class T>(op_kind op, T) { return reduce(op, x).value<T>(); };
  EXPECT_EQ(prod(x), value(op_kind::prod, std::int64_t{}));
  EXPECT_EQ(min(x), value(op_kind::min, std::int32_t{}));
  EXPECT_EQ(argmin(x), 1);
  EXPECT_EQ(argmax(x), 3);
  EXPECT_EQ(norm1(x), 19);
  EXPECT_EQ(sumsq(x), 169);
  EXPECT_EQ(norm2(x), 13);
  EXPECT_EQ(var(x, 1), reduce(op_kind::var, x, {.correction = 1}).value<double>());
  EXPECT_EQ(stddev(x), value(op_kind::std, 0.0));
  EXPECT_EQ(dot(x, y), 23);
  EXPECT_EQ(cov(x, y), reduce(op_kind::cov, x, y).value<double>());
  const auto all = describe(x, 1);
  EXPECT_EQ(all.sum, 11);
  EXPECT_EQ(all.std, stddev(x, 1));
  EXPECT_EQ(all.norm2, 13);
  EXPECT_EQ(all.argmax, 3);
  EXPECT_EQ(all.zero, 1);
}

TEST(views, of_complex_numbers_are_their_parts) {
  const std::vector<std::complex<float>> x{{1e8f, 3}, {1, 4}, {-1e8f, 0.5f}};
  EXPECT_EQ(sum(x), (std::complex<float>(1, 7.5f)));
  EXPECT_EQ(mean(x), (std::complex<float>(1 / 3.0f, 2.5f)));
  EXPECT_EQ(norm2(std::vector<std::complex<double>>{{3, 4}, {0, 12}}), 13.0);
  EXPECT_EQ(sumsq(std::vector<std::complex<double>>{}), 0.0);
}

TEST(views, that_are_large_or_empty_are_as_those_of_reduce) {
  std::vector<std::int16_t> x(3'000'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(i * 7919 % 30000 - 9000);
  EXPECT_EQ(sum(x), reduce(op_kind::sum, x).value<std::int64_t>());
  EXPECT_EQ(argmax(x), reduce(op_kind::argmax, x).value<std::int64_t>());
  EXPECT_EQ(describe(x).std, reduce(op_kind::std, x).value<double>());
  EXPECT_THROW(max(std::vector<int>{}), shape_error);
  EXPECT_THROW(sum(std::vector<std::int64_t>{INT64_MAX, 1}), overflow_error);
  EXPECT_THROW(dot(std::vector<int>{1}, std::vector<int>{1, 2}), shape_error);
}

}  // namespace
}  // namespace multifold
