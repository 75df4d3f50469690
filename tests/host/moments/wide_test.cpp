// Moments of many short batches: the bits of the interpreter, in accumulators of a few words.

#include "host/fold.hpp"

#include <cmath>

#include "host/moments/checks.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"

namespace {

using namespace multifold;
using namespace test;

constexpr dtype reals[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

constexpr int share = test::sanitized ? 8 : 1;

}  // namespace

// Columns of a few elements, short rows, and what lies between two kept axes, in numbers that fill lanes and do not.
TEST(moments_wide, few_elements_of_many_batches) {
  test::random_bits random(21);
  for (int i = 0; i < 700 / share && !HasFatalFailure(); ++i) {
    reduction what = random_moments(random);
    if (!is_floating(what.input)) continue;
    const auto f = static_cast<family>(random() % families);
    const auto few = static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 90 : 9));
    const auto many = static_cast<std::int64_t>(15 + random() % 250);
    const std::int64_t other = random() % 3 == 0 ? 3 : 1;
    std::vector<std::int64_t> extents = {few, many, other};
    std::shuffle(extents.begin(), extents.end(), random);
    const std::int64_t axis = std::find(extents.begin(), extents.end(), few) - extents.begin();
    const array_pair a =
        random() % 2 == 0 ? dense_pair(what.input, f, extents, random) : random_pair(what.input, f, extents, random);
    const plan p = plan_for(what, a.x.view, {axis});
    ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, f));
  }
}

// One hard column among ordinary ones, whose sums leave the few words: it alone is gathered wide.
TEST(moments_wide, hard_batches_among_ordinary_ones) {
  test::random_bits random(22);
  for (const op_kind op : moment_ops) {
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      for (const double hard : {0x1p600, 0x1p-600, -0x1p1000, 0x1p-1074, HUGE_VAL, static_cast<double>(NAN), -0.0}) {
        array_pair a = dense_pair(dtype::f64, family::normal, {11, 201}, random);
        for (int k = 0; k < 5; ++k) {
          for (const array* each : {&a.x, &a.y}) {
            std::byte* const data = const_cast<std::byte*>(static_cast<const std::byte*>(each->view.data));
            std::memcpy(data + 8 * (random() % (11 * 201)), &hard, 8);
          }
        }
        for (const std::int64_t axis : {0, 1}) {
          const plan p = plan_for(make_reduction(op, dtype::f64, nan), a.x.view, {axis});
          ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, family::normal));
        }
      }
    }
  }
}

// Variances of equal elements are 0, which no bound on an error tells.
TEST(moments_wide, constant_columns) {
  test::random_bits random(23);
  for (const op_kind op : {op_kind::var, op_kind::std, op_kind::describe}) {
    for (const double value : {0.0, -0.0, 1.0, 0.1, -3e100, 1e-200, 0x1p-1000, 1e300}) {
      for (const std::int64_t length : {1, 2, 3, 7, 100}) {
        array_pair a = dense_pair(dtype::f64, family::normal, {length, 70}, random);
        std::byte* const data = const_cast<std::byte*>(static_cast<const std::byte*>(a.x.view.data));
        for (std::int64_t i = 0; i < length * 70; ++i) std::memcpy(data + 8 * i, &value, 8);
        for (const correction& taken : {correction(0), correction(1), correction(0.5), correction(2.1)}) {
          reduction what = make_reduction(op, dtype::f64);
          what.correction = taken.held();
          const plan p = plan_for(what, a.x.view, {0});
          ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, family::normal));
        }
      }
    }
  }
}

TEST(moments_wide, accumulators_are_a_few_words) {
  for (const op_kind op : moment_ops) {
    for (const dtype type : reals) {
      const std::int64_t most = op == op_kind::describe ? 136 : 64;
      EXPECT_LE(host::make_fold(make_reduction(op, type)).acc_bytes(), most) << name(op) << " of " << name(type);
    }
  }
}
