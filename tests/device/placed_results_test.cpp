// Results that wait in the order of their batches, and are put in place by a last kernel: the bytes of plans that write
// them where they belong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

using list = std::vector<std::int64_t>;

// A dense array whose axes stand in memory in `order`, slowest first.
array_view view_of(dtype type, const list& extents, const list& order) {
  array_view view = make_view(nullptr, type, extents);
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    view.strides[axis] = stride;
    stride *= extents[axis];
  }
  return view;
}

class placed_results : public device_test {
 protected:
  random_engine rng{23};

  static plan planned(op_kind op, const array_view& view, const list& axes) {
    return make_plan(make_reduction(op, view.type), normalise(view, axes, order_of(op)), {}, cuda::device_traits());
  }

  /// `p` with and without results that wait, whatever it chose.
  void expect_same_bytes(plan p) {
    SCOPED_TRACE(explain(p));
    const std::int64_t elements = p.form.elements();
    const device_array x(random_elements(p.what.input, elements, op_kind::sum, rng)),
        y(random_elements(p.what.input, elements, op_kind::sum, rng));
    p.waiting_bytes = 0;
    const auto in_place = run_on_device(p, {x.data(), y.data()});
    p.waiting_bytes = result_bytes(p.what);
    ASSERT_EQ(run_on_device(p, {x.data(), y.data()}), in_place);
  }

  /// What the plan chooses, against the interpreter.
  void expect_interpreted(op_kind op, const array_view& view, const list& axes, bool waits = true) {
    const plan p = planned(op, view, axes);
    SCOPED_TRACE(explain(p));
    ASSERT_EQ(p.waiting_bytes > 0, waits);
    const auto x = random_elements(view.type, view.elements(), op_kind::sum, rng);
    const device_array there(x);
    ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, x.data()));
  }
};

TEST_F(placed_results, of_every_size) {
  for (const auto& [type, op] :
       {std::pair{dtype::boolean, op_kind::min}, std::pair{dtype::i8, op_kind::max},
        std::pair{dtype::f16, op_kind::sum}, std::pair{dtype::bf16, op_kind::norm2},
        std::pair{dtype::i16, op_kind::min}, std::pair{dtype::f32, op_kind::sum}, std::pair{dtype::f32, op_kind::max},
        std::pair{dtype::f32, op_kind::var}, std::pair{dtype::f64, op_kind::sum}, std::pair{dtype::i8, op_kind::argmax},
        std::pair{dtype::i8, op_kind::mean}, std::pair{dtype::u8, op_kind::norm2}}) {
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(op, view_of(type, {501, 3, 307}, {2, 0, 1}), {1}));
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(op, view_of(type, {3, 401, 7, 53}, {0, 2, 3, 1}), {0}));
  }
}

TEST_F(placed_results, of_permutations_of_every_shape) {
  constexpr std::int64_t extents[] = {1, 2, 3, 5, 7, 31, 33, 64, 65, 127, 300, 1100};
  constexpr std::pair<dtype, op_kind> kinds[] = {{dtype::i8, op_kind::max},      {dtype::u16, op_kind::min},
                                                 {dtype::f32, op_kind::sum},     {dtype::f64, op_kind::norm2},
                                                 {dtype::i32, op_kind::argmin},  {dtype::i8, op_kind::sum},
                                                 {dtype::f16, op_kind::describe}};
  for (int turn = 0; turn < 600; ++turn) {
    list shape(2 + rng() % 5), order(shape.size()), axes;
    std::int64_t elements = 1;
    for (std::int64_t& extent : shape) {
      extent = extents[rng() % std::size(extents)];
      if (elements * extent > 200'000) extent = 2;
      elements *= extent;
    }
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    if (rng() % 4 != 0) axes.push_back(static_cast<std::int64_t>(rng() % shape.size()));
    const auto& [type, op] = kinds[rng() % std::size(kinds)];
    SCOPED_TRACE(to_string(shape) + " in memory " + to_string(order) + " along " + to_string(axes));
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned(op, view_of(type, shape, order), axes)));
  }
}

// The kept axis that is slowest in memory is fastest in the results, or the other way round.
TEST_F(placed_results, far_from_each_other) {
  ASSERT_NO_FATAL_FAILURE(
      expect_same_bytes(planned(op_kind::max, view_of(dtype::i8, {3'000'001, 2, 5}, {2, 0, 1}), {1})));
  ASSERT_NO_FATAL_FAILURE(expect_interpreted(op_kind::max, view_of(dtype::i8, {40, 2, 300'007}, {2, 0, 1}), {1}));
  ASSERT_NO_FATAL_FAILURE(expect_interpreted(op_kind::argmax, view_of(dtype::i8, {300'007, 2, 40}, {2, 0, 1}), {1}));
}

// More places than 32 bits count, most of which repeat one row of the array.
TEST_F(placed_results, past_two_to_the_thirty_two) {
  const std::int64_t rows = (std::int64_t{1} << 16) + 1, columns = (std::int64_t{1} << 16) + 3;
  array_view view = make_view(nullptr, dtype::i8, {rows, columns});
  view.strides = {1, 0};
  const plan p = planned(op_kind::max, view, {});
  if (p.waiting_bytes == 0) GTEST_SKIP() << explain(p);
  std::vector<std::byte> x(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::byte>(i * i % 251);
  const device_array there(x);
  const auto got = run_on_device(p, there.data());
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = got.begin() + row * columns;
    ASSERT_EQ(std::count(first, first + columns, x[static_cast<std::size_t>(row)]), columns) << "row " << row;
  }
}

TEST_F(placed_results, some_of_which_are_lost_and_read_again) {
  for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::norm2, op_kind::var}) {
    for (const dtype type : {dtype::f32, dtype::f64}) {
      const array_view view = view_of(type, {401, 6, 331}, {2, 0, 1});
      const plan p = planned(op, view, {1});
      SCOPED_TRACE(explain(p));
      ASSERT_GT(p.waiting_bytes, 0);
      std::vector<std::byte> x = random_elements(type, view.elements(), op_kind::sum, rng);
      visit_dtype(type, [&]<class T>() {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          auto* const at = reinterpret_cast<T*>(x.data());
          for (std::int64_t i = 0; i < view.elements(); i += 97) at[i] *= static_cast<T>(i % 2 == 0 ? 1e30 : 1e-30);
        }
      });
      const device_array there(x);
      ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, x.data()));
    }
  }
}

TEST_F(placed_results, that_do_not_fit_are_noted) {
  const array_view view = view_of(dtype::i64, {401, 3, 401}, {2, 0, 1});
  const plan p = planned(op_kind::sum, view, {1});
  ASSERT_GT(p.waiting_bytes, 0);
  std::vector<std::int64_t> x(static_cast<std::size_t>(view.elements()), 1);
  x[12'345] = INT64_MAX;
  const auto bytes = std::as_bytes(std::span<const std::int64_t>(x));
  const device_array there(bytes);
  EXPECT_THROW(run_on_device(p, there.data()), overflow_error);
}

// States are where results would be, and none of them waits.
TEST_F(placed_results, of_plans_that_merge_stay_where_accumulators_are) {
  for (const auto& [type, op] : {std::pair{dtype::i8, op_kind::max}, std::pair{dtype::f32, op_kind::sum},
                                 std::pair{dtype::f32, op_kind::var}, std::pair{dtype::f16, op_kind::describe}}) {
    const plan p = planned(op, view_of(type, {401, 4, 331}, {2, 0, 1}), {1});
    SCOPED_TRACE(explain(p));
    const auto x = random_elements(type, p.form.elements(), op_kind::sum, rng);
    const device_array there(x);
    const std::int64_t results = p.form.results(), bytes = results * result_bytes(p.what);
    cuda::stream stream;
    const cuda::device_buffer accumulators(results * accumulator_bytes(p.what)), workspace(p.workspace_bytes()),
        lowered(bytes), word(sizeof(std::uint32_t));
    cuda::check(cudaMemsetAsync(word.data(), 0, sizeof(std::uint32_t), stream.get()));
    cuda::fill_identity_async(p.what, accumulators.data(), results, stream.get());
    cuda::accumulate_async(p, there.data(), {accumulators.data(), 0, 0}, workspace.bytes(), stream.get());
    cuda::lower_async(p.what, accumulators.data(), results, p.form.length, lowered.data(),
                      reinterpret_cast<std::uint32_t*>(word.data()), stream.get());
    std::vector<std::byte> got(static_cast<std::size_t>(bytes));
    cuda::check(cudaMemcpyAsync(got.data(), lowered.data(), got.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronise();
    ASSERT_EQ(got, run_interpreted(p, x.data()));
  }
}

TEST_F(placed_results, of_another_size_than_the_plan_s_are_refused) {
  plan p = planned(op_kind::max, view_of(dtype::i8, {401, 4, 401}, {2, 0, 1}), {1});
  ASSERT_EQ(p.waiting_bytes, 1);
  p.waiting_bytes = 2;
  const device_array there(random_elements(dtype::i8, p.form.elements(), op_kind::max, rng));
  EXPECT_THROW(run_on_device(p, there.data()), unsupported_error);
}

class placed_results_Sanitized : public placed_results {};

TEST_F(placed_results_Sanitized, of_every_size) {
  for (const auto& [type, op] :
       {std::pair{dtype::i8, op_kind::max}, std::pair{dtype::i16, op_kind::max}, std::pair{dtype::f32, op_kind::sum},
        std::pair{dtype::f64, op_kind::norm2}, std::pair{dtype::f16, op_kind::describe}}) {
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned(op, view_of(type, {67, 3, 131}, {2, 0, 1}), {1})));
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned(op, view_of(type, {29, 3, 31, 3}, {2, 0, 1, 3}), {1})));
  }
}

}  // namespace
}  // namespace multifold::device_tests
