// class state: what it is made of, how it finishes, and what it refuses.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "multifold/exact.hpp"
#include "multifold/multifold.hpp"
#include "reduce/sources/vector_source.hpp"
#include "reduce/states/signed_state.hpp"

namespace multifold {
namespace {

using test_states::bytes, test_states::message_of, test_states::with;

template <class T>
array_view view_of(const std::vector<T>& x) {
  return make_view(x.data(), {static_cast<std::int64_t>(x.size())});
}

reduce_options over(std::vector<std::int64_t> axes, engine_choice engine = engine_choice::host) {
  reduce_options options;
  options.axes = std::move(axes);
  options.engine = engine;
  return options;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> x{3, -1, 4, -1, 5, -9};
const array_view table = make_view(x.data(), {2, 3});

TEST(state_of, no_elements_is_neutral_and_has_a_value_where_there_is_one) {
  state none(op_kind::max, dtype::f32, {3});
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(message_of<shape_error>([&] { none.finish(op_kind::max); }),
            "max of no elements has no value: give an initial value (reduce_options::initial)");
  const state some = reduce_to_state(op_kind::max, table, over({0}));
  none.merge(some);
  EXPECT_EQ(none.bytes(), some.bytes());
  EXPECT_EQ(none.extents(), std::vector<std::int64_t>{3});
  finish_options initial;
  initial.initial = {true, false, 0, 7.0};
  const reduce_result first = state(op_kind::max, dtype::f32).finish(op_kind::max, initial);
  EXPECT_EQ(first.value<float>(), 7);
  EXPECT_EQ(state(op_kind::sum, dtype::i8).finish(op_kind::sum).value<std::int64_t>(), 0);
  EXPECT_EQ(state(op_kind::describe, dtype::f64).finish(op_kind::describe).described().count, 0);
  EXPECT_EQ(state(op_kind::sum, dtype::f32).bytes(), empty_state(dtype::f32));
}

TEST(state_of, parts_need_no_value_of_their_own) {
  const std::vector<std::int64_t> most{INT64_MAX, INT64_MAX}, least{INT64_MIN, INT64_MIN};
  state sum = reduce_to_state(op_kind::sum, view_of(most));
  EXPECT_THROW(sum.finish(op_kind::sum), overflow_error);
  sum.merge(reduce_to_state(op_kind::sum, view_of(least)));
  EXPECT_EQ(sum.finish(op_kind::sum).value<std::int64_t>(), -2);
  EXPECT_EQ(sum.finish(op_kind::mean).value<double>(), -0.5);

  const std::vector<float> nothing{nan, nan}, two{1, 2};
  reduce_options omit = over({0});
  omit.nan = nan_policy::omit;
  state where = reduce_to_state(op_kind::argmax, view_of(nothing), omit);
  EXPECT_THROW(where.finish(op_kind::argmax), error);
  state rest = reduce_to_state(op_kind::argmax, view_of(two), omit);
  rest.move(where.end());
  where.merge(rest);
  EXPECT_EQ(where.finish(op_kind::argmax).value<std::int64_t>(), 3);

  const std::vector<std::int64_t> wide{INT64_MAX, INT64_MAX, INT64_MAX}, zero{0};
  state product = reduce_to_state(op_kind::prod, view_of(wide));
  EXPECT_THROW(product.finish(op_kind::prod), overflow_error);
  product.merge(reduce_to_state(op_kind::prod, view_of(zero)));
  EXPECT_EQ(product.finish(op_kind::prod).value<std::int64_t>(), 0);
}

TEST(state_of, families_finishes_as_each_of_its_operations) {
  const state tally = reduce_to_state(op_kind::any, table, over({1}));
  EXPECT_EQ(tally.finish(op_kind::count_nonzero).data, reduce(op_kind::count_nonzero, table, over({1})).data);
  EXPECT_EQ(tally.finish(op_kind::all).data, reduce(op_kind::all, table, over({1})).data);
  EXPECT_TRUE(tally.has(op_kind::all));
  EXPECT_FALSE(tally.has(op_kind::sum));
  EXPECT_EQ(message_of<unsupported_error>([&] { tally.finish(op_kind::sum); }),
            "a state of any, all and count_nonzero of f32 to (2,) has no sum: keep one of that operation");
  reduce_options omit = over({1});
  omit.nan = nan_policy::omit;
  const state without = reduce_to_state(op_kind::any, table, omit);
  EXPECT_THROW(without.finish(op_kind::all), unsupported_error);
  EXPECT_EQ(reduce_to_state(op_kind::all, table, omit).finish(op_kind::all).data,
            reduce(op_kind::all, table, omit).data);
}

TEST(state_of, options_at_the_end) {
  const state spread = reduce_to_state(op_kind::var, table, over({0}));
  reduce_options how = over({0});
  how.correction = 1;
  how.result = dtype::f64;
  how.keepdims = true;
  finish_options end;
  end.correction = 1;
  end.result = dtype::f64;
  end.keep_axes = {{0}};
  const reduce_result found = spread.finish(op_kind::std, end), expected = reduce(op_kind::std, table, how);
  EXPECT_EQ(found.data, expected.data);
  EXPECT_EQ(found.extents, expected.extents);
  EXPECT_EQ(found.type, dtype::f64);
  EXPECT_EQ(found.count, 6);
  end.keep_axes = {{0, 0}};
  EXPECT_THROW(spread.finish(op_kind::std, end), shape_error);
  end.keep_axes = {{2}};
  EXPECT_THROW(spread.finish(op_kind::std, end), shape_error);
  EXPECT_THROW(spread.finish(op_kind::var, {dtype::i64}), unsupported_error);
  EXPECT_THROW(spread.finish(op_kind::var, {dtype::f64, -1}), unsupported_error);
  const std::vector<std::int16_t> few{2, 3};
  EXPECT_THROW(reduce_to_state(op_kind::prod, view_of(few)).finish(op_kind::prod, {dtype::f64}), unsupported_error);
  finish_options initial;
  initial.initial = {true, true, -5, -5.0};
  EXPECT_EQ(reduce_to_state(op_kind::prod, view_of(few)).finish(op_kind::prod, initial).value<std::int64_t>(), -30);
}

TEST(state_of, sources_and_of_streams_of_unknown_length) {
  std::vector<std::int32_t> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * 2654435761u);
  vector_source<std::int32_t> file(numbers, {1000, 100}), pipe(numbers, {-1});
  const array_view array = make_view(numbers.data(), {1000, 100});
  for (const op_kind op : {op_kind::argmin, op_kind::norm2, op_kind::var, op_kind::prod, op_kind::describe}) {
    EXPECT_EQ(reduce_to_state(op, file, over({0})).bytes(), reduce_to_state(op, array, over({0})).bytes()) << name(op);
    EXPECT_EQ(reduce_to_state(op, pipe).bytes(), reduce_to_state(op, view_of(numbers)).bytes()) << name(op);
    reduce_options kept = over({0});
    kept.keep_state = true;
    if (op != op_kind::prod) {
      EXPECT_EQ(reduce(op, file, kept).state, reduce_to_state(op, array, over({0})).bytes()) << name(op);
    }
  }
  EXPECT_EQ(reduce_to_state(op_kind::cov, file, file, over({1})).bytes(),
            reduce_to_state(op_kind::cov, array, array, over({1})).bytes());
  vector_source<std::int32_t> nothing({}, {-1});
  EXPECT_EQ(reduce_to_state(op_kind::min, nothing).bytes(), state(op_kind::min, dtype::i32).bytes());
}

TEST(state_of, one_result_behind_an_axis_has_its_extents) {
  const std::vector<float> y{1, 2, 3};
  const state kept = reduce_to_state(op_kind::sum, make_view(y.data(), {1, 3}), over({1}));
  EXPECT_EQ(kept.extents(), std::vector<std::int64_t>{1});
  EXPECT_EQ(state(kept.bytes()).extents(), std::vector<std::int64_t>{1});
  EXPECT_THROW(state(op_kind::sum, dtype::f32).merge(kept), format_error);
}

TEST(state_of, indices_does_not_hold_an_element_twice) {
  state first = reduce_to_state(op_kind::argmin, view_of(x)), second = first;
  EXPECT_EQ(message_of<shape_error>([&] { first.merge(second); }),
            "both states hold element 0 of each batch: say where a part begins, by state::move");
  second.move(5);
  EXPECT_THROW(first.merge(second), shape_error);
  EXPECT_THROW(second.move(-6), shape_error);
  EXPECT_THROW(second.move(INT64_MAX - 10), shape_error);
  EXPECT_EQ(second.end(), 11);
  second.move(5);
  const bytes before = first.bytes();
  first.merge(second);
  EXPECT_EQ(first.end(), 16);
  EXPECT_EQ(first.count(), 12);
  second.move(-4);
  EXPECT_THROW(first.merge(second), shape_error);
  second.move(-second.end() + 6);
  EXPECT_EQ(second.bytes(), before);
}

TEST(state_of, another_kind_is_named) {
  state sums = reduce_to_state(op_kind::sum, table, over({0}));
  const auto message = [&](const state& other) { return message_of<format_error>([&] { sums.merge(other); }); };
  EXPECT_EQ(message(reduce_to_state(op_kind::max, table, over({0}))),
            "found the state of max of f32 to (3,); expected one of sum and mean of f32 to (3,)");
  EXPECT_EQ(message(reduce_to_state(op_kind::mean, table, over({1}))),
            "found the state of sum and mean of f32 to (2,); expected one of sum and mean of f32 to (3,)");
  EXPECT_EQ(message(state(op_kind::sum, dtype::i8, {3})),
            "found the state of sum and mean of i8 to (3,); expected one of sum and mean of f32 to (3,)");
  EXPECT_EQ(message(state(op_kind::sum, dtype::f32, {3}, nan_policy::omit)),
            "found the state of sum and mean of f32 to (3,) without its NaN; expected one of sum and mean of f32 to "
            "(3,) with its NaN");
  EXPECT_THROW(state(op_kind::prod, dtype::f32), unsupported_error);
  EXPECT_THROW(state(op_kind::max, dtype::f32, {-1}), shape_error);
  EXPECT_THROW(state(op_kind::max, dtype::f32, {INT64_MAX / 2}), shape_error);
}

TEST(state_of, what_an_engine_other_than_the_host_has_to_do_is_refused) {
  for (const engine_choice engine : {engine_choice::device, engine_choice::both}) {
    EXPECT_EQ(message_of<unsupported_error>([&] { reduce_to_state(op_kind::max, table, over({0}, engine)); }),
              "a state of this max of f32 is kept by the host engine, and " + std::string(name(engine)) +
                  " was asked for: use the host engine");
  }
  array_view there = table;
  there.where = place::device;
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce_to_state(op_kind::max, there, over({0})); }),
            "a state of this max of f32 is kept by the host engine, and the array is in device memory: copy it to the "
            "host");
}

TEST(free_functions, take_states_of_everything) {
  const bytes a = reduce_to_state(op_kind::max, table, over({0})).bytes();
  EXPECT_EQ(merge_states(a, a), with(a, 24, 8, 4));
  EXPECT_THROW(merge_states(a, empty_state(dtype::f32)), format_error);
  const bytes one = reduce_to_state(op_kind::norm1, table).bytes();
  float value = 0;
  round_state(one, op_kind::norm1, dtype::f32, &value);
  EXPECT_EQ(value, 23);
  EXPECT_THROW(round_state(a, op_kind::max, dtype::f32, &value), shape_error);
  EXPECT_THROW(round_state(reduce_to_state(op_kind::describe, table).bytes(), op_kind::describe, dtype::f32, &value),
               unsupported_error);
}

}  // namespace
}  // namespace multifold
