// Laws that hold for every built-in operation over every dtype.
#include "multifold/ops.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

// Calls f(op) for every operation, dtype, NaN policy and accuracy.
template <class F>
void for_every_fold(F&& f) {
  std::vector<op_kind> ops(std::begin(all_ops), std::end(all_ops));
  ops.insert(ops.end(), {op_kind::dot, op_kind::cov, op_kind::describe});
  for (const op_kind op : ops) {
    for (int type = 0; type <= static_cast<int>(dtype::f64); ++type) {
      for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
        SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(static_cast<dtype>(type))));
        for (const accuracy numerics : {accuracy::fast, accuracy::exact}) {
          const reduction what = make_reduction(op, static_cast<dtype>(type), nan, numerics);
          if (numerics == accuracy::exact && !gathers_exactly(what)) continue;
          visit_fold(what, [&](auto fold) { f(op, fold); });
        }
      }
    }
  }
}

// Any bits whatever, with more than their share of zeros, ones and extremes; floats stay small integers or specials,
// so that sums and products of a few of them are exact.
template <storage_type T>
T random_element(test::random_bits& random) {
  const auto pick = random() % 8;
  if constexpr (floating_storage<T>) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double values[] = {0.0, -0.0, 1.0, -1.0, 2.0, -0.5, infinity, std::numeric_limits<double>::quiet_NaN()};
    const double x = values[pick];
    if constexpr (std::is_same_v<T, f16>) return to_f16(x);
    else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
    else return static_cast<T>(x);
  } else if constexpr (std::is_same_v<T, bool8> || std::is_same_v<T, any_byte>) {
    const std::uint8_t values[] = {0, 0, 1, 0x7f, 0x80, 0xff};
    return {pick < 6 ? values[pick] : static_cast<std::uint8_t>(random())};
  } else {
    const T values[] = {0, 1, 2, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    return pick < 5 ? values[pick] : static_cast<T>(random());
  }
}

template <class Value>
struct random_value {
  static Value of(test::random_bits& random) { return random_element<Value>(random); }
};
template <class T>
struct random_value<element_pair<T>> {
  static element_pair<T> of(test::random_bits& random) {
    return {random_element<T>(random), random_element<T>(random)};
  }
};

// What a result would be: its status and bytes.
template <class Op>
std::vector<unsigned char> result_of(const Op& fold, const typename Op::accumulator& a, dtype type) {
  constexpr std::size_t most = sizeof(summary);
  std::vector<unsigned char> out(most + 1, 0);
  alignas(8) unsigned char bytes[most] = {};
  out[most] = static_cast<unsigned char>(store(finish_scalar(op_kind::sum, fold.lower(a, 3), {}), type, bytes));
  std::memcpy(out.data(), bytes, sizeof bytes);
  return out;
}

template <class Value>
constexpr dtype element_dtype = dtype_of<Value>;
template <class T>
constexpr dtype element_dtype<element_pair<T>> = dtype_of<T>;

template <class Op>
dtype result_dtype(op_kind op) {
  return default_result_dtype(op, element_dtype<typename Op::value_type>);
}

TEST(ops, every_fold_satisfies_the_concept) {
  for_every_fold([](op_kind, auto fold) {
    using op = decltype(fold);
    static_assert(fold_op<op>);
    static_assert(std::is_trivially_copyable_v<op>);
    static_assert(std::is_trivially_copyable_v<typename op::accumulator>);
    static_assert(std::is_same_v<typename lane_of<op>::type, typename op::accumulator> || has_lane<op>);
  });
}

TEST(ops, only_folds_that_merge_exactly_are_free_of_order) {
  static_assert(order_free<integer_sum<std::int8_t>> && order_free<extremum<double>>);
  static_assert(order_free<exact_float_sum<float>>);
  static_assert(!order_free<float_sum<float>> && !order_free<float_product<double>>);
}

TEST(ops, identity_is_neutral_on_both_sides) {
  test::random_bits random(1);
  for_every_fold([&](op_kind op, auto fold) {
    using T = typename decltype(fold)::value_type;
    const dtype type = result_dtype<decltype(fold)>(op);
    for (int i = 0; i < 100; ++i) {
      const auto a = fold.lift(random_value<T>::of(random), i);
      ASSERT_EQ(result_of(fold, fold.combine(fold.identity(), a), type), result_of(fold, a, type));
      ASSERT_EQ(result_of(fold, fold.combine(a, fold.identity()), type), result_of(fold, a, type));
    }
  });
}

TEST(ops, combine_is_commutative_and_associative_where_nothing_is_rounded) {
  test::random_bits random(2);
  for_every_fold([&](op_kind op, auto fold) {
    using T = typename decltype(fold)::value_type;
    const dtype type = result_dtype<decltype(fold)>(op);
    for (int i = 0; i < 200; ++i) {
      const auto a = fold.lift(random_value<T>::of(random), 5);
      const auto b = fold.lift(random_value<T>::of(random), 2);
      const auto c = fold.lift(random_value<T>::of(random), 9);
      const auto left = fold.combine(fold.combine(a, b), c);
      ASSERT_EQ(result_of(fold, left, type), result_of(fold, fold.combine(a, fold.combine(b, c)), type));
      ASSERT_EQ(result_of(fold, left, type), result_of(fold, fold.combine(c, fold.combine(b, a)), type));
    }
  });
}

TEST(ops, lanes_gather_what_lift_and_combine_would) {
  test::random_bits random(3);
  for_every_fold([&](op_kind op, auto fold) {
    using fold_type = decltype(fold);
    using lane = lane_of<fold_type>;
    const dtype type = result_dtype<fold_type>(op);
    auto gathered = lane::identity(fold);
    auto expected = fold.identity();
    for (int i = 0; i < 50; ++i) {
      const auto x = random_value<typename fold_type::value_type>::of(random);
      gathered = lane::absorb(fold, gathered, x, i);
      expected = fold.combine(expected, fold.lift(x, i));
      ASSERT_EQ(result_of(fold, lane::widen(fold, gathered), type), result_of(fold, expected, type));
    }
  });
}

TEST(ops, nothing_but_zero_and_one_and_nan_comes_of_no_elements) {
  for_every_fold([](op_kind op, auto fold) {
    if (!has_identity(op) || op == op_kind::describe) return;
    const auto value = finish_scalar(op, fold.lower(fold.identity(), 0), {});
    double result[sizeof(summary) / sizeof(double)] = {-1};
    ASSERT_EQ(store(value, dtype::f64, result), status::ok);
    if (op == op_kind::mean || takes_correction(op)) EXPECT_NE(result[0], result[0]) << name(op);
    else
      EXPECT_EQ(std::bit_cast<std::uint64_t>(result[0]),
                std::bit_cast<std::uint64_t>(op == op_kind::prod || op == op_kind::all ? 1.0 : 0.0));
  });
}

}  // namespace
}  // namespace multifold
