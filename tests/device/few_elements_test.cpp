// Batches of a few elements: every operation and dtype, whatever the elements are, in columns of few rows and in rows.
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

using list = std::vector<std::int64_t>;

constexpr op_kind sums[] = {op_kind::sum, op_kind::mean};
constexpr op_kind others[] = {op_kind::prod,   op_kind::min, op_kind::max, op_kind::argmin,
                              op_kind::argmax, op_kind::any, op_kind::all, op_kind::count_nonzero};
constexpr op_kind moments[] = {op_kind::norm1, op_kind::norm2, op_kind::sumsq, op_kind::var,
                               op_kind::std,   op_kind::dot,   op_kind::cov,   op_kind::describe};

class few_elements : public exact_on_device {
 protected:
  // By the blocks of one SM, which have several tiles each.
  void expect_same(op_kind op, dtype type, const list& extents, data_family family, accuracy wanted = accuracy::fast,
                   std::int64_t correction = 0, std::int64_t shift = 0) {
    const std::int64_t count = element_count(extents);
    // Totals of integers of 8 bytes would overflow.
    const op_kind for_op = is_floating(type) || op == op_kind::mean ? op : op_kind::prod;
    const auto elements = [&] {
      return is_floating(type) ? exact_elements(type, count, family, rng) : random_elements(type, count, for_op, rng);
    };
    const auto x = elements(), y = elements();
    reduction what = make_reduction(op, type, nan_policy::propagate, wanted);
    if (takes_correction(op)) what.correction = correction;
    engine_traits card = cuda::device_traits();
    card.units = 1;
    const plan p = make_plan(what, normalise(make_view(x.data(), type, extents), {1}, order_of(op)), {}, card);
    const device_array x_there(x, shift * item_bytes(type)), y_there(y);
    ASSERT_EQ(run_on_device(p, {x_there.data(), y_there.data()}), run_interpreted(p, {x.data(), y.data()}))
        << explain(p) << name(family) << ", correction " << correction;
  }
  void expect_same_of_shapes(op_kind op, dtype type, std::int64_t length, data_family family,
                             accuracy wanted = accuracy::fast, std::int64_t correction = 0) {
    for (const list& extents : {list{3, length, 1700}, list{900, length, 7}, list{7001, length}})
      ASSERT_NO_FATAL_FAILURE(expect_same(op, type, extents, family, wanted, correction, 1));
  }
};

TEST_F(few_elements, exact_sums) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : sums) {
      for (const data_family family : all_families) {
        for (const std::int64_t length : {2, 3, 12})
          ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, length, family, accuracy::exact));
      }
    }
  }
}

TEST_F(few_elements, moments) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : moments) {
      for (const data_family family : all_families) {
        for (const std::int64_t length : {2, 5}) {
          ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {3, length, 400}, family, accuracy::fast, length % 2));
          ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {1201, length}, family));
        }
      }
      for (const std::int64_t correction : {0, 1}) {
        ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, 16, data_family::normal, accuracy::fast, correction));
        ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, 2, data_family::lognormal, accuracy::fast, correction));
      }
    }
  }
}

TEST_F(few_elements, other_operations) {
  for (const dtype type : all_dtypes) {
    for (const op_kind op : others) {
      for (const std::int64_t length : {2, 3, 7, 16})
        ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, length, data_family::normal));
      ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, 4, data_family::specials));
    }
    for (const op_kind op : sums) ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, 5, data_family::normal));
  }
}

TEST_F(few_elements, moments_of_integers) {
  for (const dtype type : all_dtypes) {
    if (is_floating(type)) continue;
    for (const op_kind op : moments) {
      for (const std::int64_t length : {2, 3, 16})
        ASSERT_NO_FATAL_FAILURE(expect_same_of_shapes(op, type, length, data_family::normal));
    }
    // Of any bits, where results are rounded.
    for (const std::int64_t length : {2, 5}) {
      const list extents{3, length, 1700};
      const auto x = random_elements(type, element_count(extents), op_kind::max, rng);
      for (const op_kind op : {op_kind::var, op_kind::std, op_kind::norm2})
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(make_reduction(op, type), extents, {1}, x, x));
      if (item_bytes(type) == 8) continue;
      ASSERT_NO_FATAL_FAILURE(expect_interpreted(make_reduction(op_kind::describe, type), extents, {1}, x, x));
    }
  }
}

class few_elements_Sanitized : public few_elements {};

TEST_F(few_elements_Sanitized, of_few_shapes) {
  for (const dtype type : {dtype::i8, dtype::bf16, dtype::f64}) {
    for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::var, op_kind::describe}) {
      for (const data_family family : {data_family::normal, data_family::any_bits}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {3, 5, 333}, family));
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {700, 3}, family, accuracy::fast, 1, 1));
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
