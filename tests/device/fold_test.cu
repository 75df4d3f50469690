// An operation of the user's own, compiled in the user's own file.
#include "multifold/cuda/fold.cuh"

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/random_view.hpp"
#include "device/device_fixture.hpp"
#include "multifold/error.hpp"

static_assert(__cplusplus >= 202002L, "device code is compiled as C++20");

namespace multifold::device_tests {
namespace {

// Greatest magnitude and how often it is reached.
struct peak {
  using value_type = float;
  struct accumulator {
    float magnitude;
    unsigned times;
  };
  MULTIFOLD_HD accumulator identity() const { return {0.0f, 0}; }
  MULTIFOLD_HD accumulator lift(float x, std::int64_t) const { return {x < 0 ? -x : x, 1}; }
  MULTIFOLD_HD accumulator combine(accumulator a, accumulator b) const {
    if (a.magnitude == b.magnitude) return {a.magnitude, a.times + b.times};
    return a.magnitude > b.magnitude ? a : b;
  }
  MULTIFOLD_HD accumulator lower(accumulator a, std::int64_t) const { return a; }
};

// What the README shows.
struct sum_of_squares {
  using value_type = float;
  using accumulator = double;
  MULTIFOLD_HD double identity() const { return 0; }
  MULTIFOLD_HD double lift(float x, std::int64_t) const { return double{x} * x; }
  MULTIFOLD_HD double combine(double a, double b) const { return a + b; }
  MULTIFOLD_HD double lower(double sum, std::int64_t) const { return sum; }
};

// Where the greatest element is, in an accumulator that is wide and tells elements of one value apart.
struct last_greatest {
  using value_type = std::int16_t;
  struct accumulator {
    std::int64_t value, index, seen[2];
  };
  MULTIFOLD_HD accumulator identity() const { return {INT64_MIN, -1, {0, 0}}; }
  MULTIFOLD_HD accumulator lift(std::int16_t x, std::int64_t index) const { return {x, index, {1, x}}; }
  MULTIFOLD_HD accumulator combine(accumulator a, const accumulator& b) const {
    const std::int64_t seen[]{a.seen[0] + b.seen[0], a.seen[1] + b.seen[1]};
    if (b.value > a.value || (b.value == a.value && b.index > a.index)) a = b;
    a.seen[0] = seen[0];
    a.seen[1] = seen[1];
    return a;
  }
  MULTIFOLD_HD accumulator lower(const accumulator& a, std::int64_t) const { return a; }
};

// Twelve bytes, which are no power of two.
struct extremes_and_sum {
  using value_type = std::int16_t;
  struct accumulator {
    std::int32_t least, greatest, sum;
  };
  MULTIFOLD_HD accumulator identity() const { return {INT32_MAX, INT32_MIN, 0}; }
  MULTIFOLD_HD accumulator lift(std::int16_t x, std::int64_t) const { return {x, x, x}; }
  MULTIFOLD_HD accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest, a.sum + b.sum};
  }
  MULTIFOLD_HD accumulator lower(const accumulator& a, std::int64_t) const { return a; }
};

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

class user_fold : public device_test {
 protected:
  random_engine rng{4};

  /// Small integers, so that sums are exact in any order.
  template <class T>
  std::vector<T> small_values(std::int64_t count) {
    std::vector<T> x(static_cast<std::size_t>(count));
    for (T& v : x) v = static_cast<T>(static_cast<int>(rng() % 19) - 9);
    return x;
  }

  /// Reduces the view, whose first element is x[first], in a workspace and results that are guarded.
  template <class Op>
  void expect_agreement(const Op& op, const std::vector<typename Op::value_type>& x, std::int64_t first,
                        array_view view, const std::vector<std::int64_t>& axes, const plan_options& options = {}) {
    using result = cuda::fold_result<Op>;
    constexpr std::int64_t guard = 4096;
    const device_array on_device(std::as_bytes(std::span(x)));
    const auto* data = static_cast<const typename Op::value_type*>(on_device.data()) + first;
    view.data = data;
    view.where = place::device;
    const plan p = cuda::make_fold_plan(op, view, axes, options);
    SCOPED_TRACE("extents " + to_string(view.extents) + ", strides " + to_string(view.strides) + ", axes " +
                 to_string(axes) + "\n" + explain(p));
    const std::int64_t result_bytes = p.form.results() * static_cast<std::int64_t>(sizeof(result));
    cuda::stream stream;
    cuda::device_buffer workspace(p.workspace_bytes() + guard), results(result_bytes + guard);
    for (const cuda::device_buffer* memory : {&workspace, &results}) {
      cuda::check(cudaMemsetAsync(memory->data(), poison, static_cast<std::size_t>(memory->size()), stream.get()));
    }
    auto* out = reinterpret_cast<result*>(results.data());
    cuda::fold_async(p, op, data, out, workspace.bytes(), stream.get());
    stream.synchronise();
    expect_untouched(workspace, p.workspace_bytes());
    expect_untouched(results, result_bytes);
    std::vector<result> got(static_cast<std::size_t>(p.form.results()));
    cuda::check(cudaMemcpy(got.data(), out, got.size() * sizeof(result), cudaMemcpyDeviceToHost));
    for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
      auto expected = op.identity();
      for (std::int64_t i = 0; i < p.form.length; ++i) {
        expected = op.combine(expected, op.lift(x[static_cast<std::size_t>(first + p.form.offset_of(batch, i))], i));
      }
      const auto at = static_cast<std::size_t>(p.form.result_of(batch));
      ASSERT_TRUE(same(got[at], op.lower(expected, p.form.length))) << "result " << at;
    }
  }

 private:
  static void expect_untouched(const cuda::device_buffer& memory, std::int64_t from) {
    std::vector<unsigned char> guard(static_cast<std::size_t>(memory.size() - from));
    cuda::check(cudaMemcpy(guard.data(), static_cast<const std::byte*>(static_cast<const void*>(memory.data())) + from,
                           guard.size(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < guard.size(); ++i) ASSERT_EQ(guard[i], poison) << "byte " << i << " behind the end";
  }
};

TEST_F(user_fold, runs_through_every_pattern) {
  const auto x = small_values<float>(300 * 700);
  for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0, 1}, {0}, {1}}) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement(peak{}, x, 0, make_view(x.data(), {300, 700}), axes));
  }
}

TEST_F(user_fold, stays_in_its_workspace) {
  for (const std::int64_t length : {1000, 40001, 1 << 20, 9'000'000}) {
    const auto x = small_values<float>(length);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(sum_of_squares{}, x, 0, make_view(x.data(), {1, length}), {1}));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(peak{}, x, 0, make_view(x.data(), {length}), {0}));
    ASSERT_NO_FATAL_FAILURE(
        expect_agreement(peak{}, x, 0, make_view(x.data(), {length}), {0}, {.how = finish::last_block}));
  }
}

TEST_F(user_fold, of_any_view) {
  for (int turn = 0; turn < 300; ++turn) {
    const auto made = testing_views::make_random_view(rng, dtype::i16, turn % 10 == 0 ? 20000 : 600);
    const auto axes = testing_views::random_axes(rng, made.view.rank());
    const auto x = small_values<std::int16_t>(made.buffer_elements);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(last_greatest{}, x, made.first, made.view, axes));
  }
}

// Results of 8, 12 and 32 bytes: all but the last wait.
TEST_F(user_fold, puts_its_results_in_place) {
  const std::int64_t rows = 401, columns = 397;
  array_view view = make_view<std::int16_t>(nullptr, {rows, 3, columns});
  view.strides = {3, 1, 3 * rows};
  const auto x = small_values<std::int16_t>(view.elements());
  ASSERT_NO_FATAL_FAILURE(expect_agreement(last_greatest{}, x, 0, view, {1}));
  ASSERT_NO_FATAL_FAILURE(expect_agreement(extremes_and_sum{}, x, 0, view, {1}));
  EXPECT_EQ(cuda::make_fold_plan(last_greatest{}, view, {1}).waiting_bytes, 0);
  EXPECT_EQ(cuda::make_fold_plan(extremes_and_sum{}, view, {1}).waiting_bytes, 12);
  view.type = dtype::f32;
  ASSERT_NO_FATAL_FAILURE(expect_agreement(peak{}, small_values<float>(view.elements()), 0, view, {1}));
  EXPECT_EQ(cuda::make_fold_plan(peak{}, view, {1}).waiting_bytes, 8);
}

TEST_F(user_fold, takes_plans_of_folds_only) {
  const auto x = small_values<float>(1 << 20);
  const array_view view = make_view(x.data(), {1 << 20});
  const plan exact = make_plan(make_reduction(op_kind::sum, dtype::f32), normalise(view, {0}, element_order::indexed),
                               {}, cuda::device_traits());
  cuda::device_buffer workspace(exact.workspace_bytes()), result(sizeof(double));
  cuda::stream stream;
  EXPECT_THROW(cuda::fold_async(exact, sum_of_squares{}, x.data(), reinterpret_cast<double*>(result.data()),
                                workspace.bytes(), stream.get()),
               unsupported_error);
}

class user_fold_Sanitized : public user_fold {};

TEST_F(user_fold_Sanitized, short_and_long) {
  for (const std::int64_t length : {1000, 40001}) {
    const auto x = small_values<float>(length);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(sum_of_squares{}, x, 0, make_view(x.data(), {1, length}), {1}));
  }
}

}  // namespace
}  // namespace multifold::device_tests
