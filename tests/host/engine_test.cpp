// The engine against the interpreter of plans: random arrays, every dtype and operation, all SIMD levels and threads.
#include "host/engine.hpp"
#include "core/every.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "host/fold.hpp"
#include "host/random_array.hpp"
#include "host/simd_guard.hpp"
#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace {

using test::all_dtypes;

using namespace multifold;
using host::simd_level;
using bytes = std::vector<unsigned char>;

struct outcome {
  bytes data;
  std::string error;
};

template <class Run>
outcome outcome_of(const plan& p, const Run& run) {
  outcome o;
  o.data.assign(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)), 0xab);
  try {
    run(o.data.data());
  } catch (const error& e) {
    o.error = e.what();
    o.data.clear();
  }
  return o;
}

// Moments, for which the interpreter takes long: host/moments/moments_test.cpp has long rows.
bool has_tests_of_its_own(op_kind op) { return family_of(make_reduction(op, dtype::f32)) == op_family::moments; }

// Values are halves of integers up to 20, so that sums are exact. Products are the same but for one in 2^40 or fewer.
void expect_same(const outcome& expected, const outcome& found, const std::string& where) {
  ASSERT_EQ(expected.error, found.error) << where;
  ASSERT_EQ(expected.data, found.data) << where;
}

std::string describe(const plan& p, const array_view& view, const std::vector<std::int64_t>& axes) {
  return std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " " + to_string(view.extents) +
         " strides " + to_string(view.strides) + " axes " + to_string(axes) +
         (p.what.nan == nan_policy::omit ? " omit\n" : "\n") + explain(p);
}

// One reduction of one view on every SIMD level and several numbers of threads.
void check(const reduction& what, const array_view& view, const std::vector<std::int64_t>& axes,
           const plan_options& forced = {}) {
  plan p;
  try {
    p = make_plan(what, normalise(view, axes, order_of(what.op)), forced, host::traits(1));
  } catch (const unsupported_error&) {
    return;
  }
  const std::string where = describe(p, view, axes);
  const outcome expected = outcome_of(p, [&](void* out) { interpret(p, view.data, out); });
  outcome first;
  for (simd_level level : test::levels()) {
    const test::simd_guard guard(level);
    for (int threads : {1, 2, 3, 8}) {
      host::run_options options;
      options.threads = threads;
      const outcome found = outcome_of(p, [&](void* out) { host::run(p, view.data, out, options); });
      if (level == test::levels().front() && threads == 1) {
        first = found;
        expect_same(expected, found, where);
      }
      const std::string here = where + " " + std::string(name(level)) + " x" + std::to_string(threads);
      ASSERT_EQ(first.data, found.data) << here;
      ASSERT_EQ(first.error, found.error) << here;
      if (view.elements() < 70000) break;  // smaller arrays run on the calling thread
    }
  }
}

reduction random_reduction(test::random_bits& random) {
  reduction what = make_reduction(all_ops[random() % std::size(all_ops)], all_dtypes[random() % 13],
                                  random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
  if (random() % 4 == 0) what.result = dtype::f64;
  return what;
}

}  // namespace

TEST(engine, random_arrays_as_interpreted) {
  test::random_bits random(1);
  for (int i = 0; i < 6000 && !HasFatalFailure(); ++i) {
    std::vector<std::int64_t> extents(random() % 5);
    for (std::int64_t& extent : extents) extent = static_cast<std::int64_t>(random() % (random() % 3 == 0 ? 40 : 6));
    const reduction what = random_reduction(random);
    const test::array a = test::random_array(what.input, extents, random);
    const auto axes = test::random_axes(a.view.rank(), random);
    if (normalise(a.view, axes, order_of(what.op)).length == 0 && !has_identity(what.op)) continue;
    check(what, a.view, axes);
  }
}

TEST(engine, every_operation_and_dtype_at_the_edges_of_lanes) {
  test::random_bits random(2);
  for (op_kind op : all_ops) {
    for (dtype type : all_dtypes) {
      for (std::int64_t length : {1, 11, 12, 13, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 4097, 32769, 70001}) {
        if (length > 1000 && has_tests_of_its_own(op)) continue;
        const nan_policy nan = length % 2 == 0 ? nan_policy::propagate : nan_policy::omit;
        const test::array row = test::random_array(type, {length}, random);
        check(make_reduction(op, type, nan), row.view, {0});
        const test::array rows = test::random_array(type, {3, length}, random);
        check(make_reduction(op, type, nan), rows.view, {1});
        check(make_reduction(op, type, nan), rows.view, {0});
        if (HasFatalFailure()) return;
      }
      for (std::int64_t width : {1, 3, 17, 63, 64, 65, 1023, 1025}) {
        const test::array a = test::random_array(type, {300, width}, random);
        check(make_reduction(op, type), a.view, {0});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(engine, more_rows_than_a_bank_gathers) {
  test::random_bits random(3);
  for (op_kind op : all_ops) {
    if (has_tests_of_its_own(op)) continue;
    for (dtype type : {dtype::i8, dtype::u16, dtype::f32, dtype::i64}) {
      for (std::int64_t width : {1, 3, 5, 70}) {
        test::array a;
        a.view = make_view(nullptr, type, {70000 + width, width});
        a.memory.resize(static_cast<std::size_t>(a.view.elements() * item_bytes(type)));
        test::fill(type, a.memory.data(), a.view.elements(), random);
        a.view.data = a.memory.data();
        check(make_reduction(op, type, nan_policy::omit), a.view, {0});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Tiles of 4096 elements are cut by rows, by batches and not at all.
TEST(engine, a_few_columns_of_many_batches) {
  const std::vector<std::int64_t> shapes[] = {{700, 2, 3}, {41, 50, 2}, {3, 301, 7},  {1, 2500, 2}, {2, 9, 63},
                                              {90, 3, 16}, {5, 33, 30}, {1, 4100, 1}, {300, 5, 4},  {2, 1030, 15}};
  test::random_bits random(5);
  for (op_kind op : all_ops) {
    for (dtype type : all_dtypes) {
      for (const std::vector<std::int64_t>& shape : shapes) {
        test::array a;
        a.view = make_view(nullptr, type, shape);
        a.memory.resize(static_cast<std::size_t>(a.view.elements() * item_bytes(type)));
        test::fill(type, a.memory.data(), a.view.elements(), random);
        a.view.data = a.memory.data();
        check(make_reduction(op, type, shape[0] % 2 == 0 ? nan_policy::omit : nan_policy::propagate), a.view, {1});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(engine, forced_plans) {
  test::random_bits random(4);
  for (int i = 0; i < 1500 && !HasFatalFailure(); ++i) {
    const reduction what = random_reduction(random);
    std::vector<std::int64_t> extents = {1 + static_cast<std::int64_t>(random() % 5),
                                         1 + static_cast<std::int64_t>(random() % 300),
                                         1 + static_cast<std::int64_t>(random() % 20)};
    std::shuffle(extents.begin(), extents.end(), random);
    const test::array a = test::random_array(what.input, extents, random);
    plan_options forced;
    if (random() % 2 == 0) forced.passes = 1 + static_cast<int>(random() % 4);
    if (random() % 2 == 0) forced.parts = 1 + static_cast<std::int64_t>(random() % 40);
    check(what, a.view, test::random_axes(3, random), forced);
  }
}
