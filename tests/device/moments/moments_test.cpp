// Norms, dot products, variances and descriptions on the GPU: the bits of the interpreter's, whatever the data, the
// shape and the alignment.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "device/exact/device_data.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

struct moment_case {
  std::vector<std::int64_t> extents = {};
  std::vector<std::int64_t> axes = {};
  nan_policy nan = nan_policy::propagate;
  std::int64_t correction = 0;
  std::optional<dtype> result = {};
  plan_options forced = {};
  std::int64_t shift_x = 0, shift_y = 0;
};

constexpr op_kind moment_ops[] = {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::var,
                                  op_kind::std,   op_kind::dot,   op_kind::cov,   op_kind::describe};

std::vector<std::byte> elements(dtype type, std::int64_t count, data_family family, random_engine& rng) {
  return is_floating(type) ? exact_elements(type, count, family, rng) : random_elements(type, count, op_kind::sum, rng);
}

void expect_agreement(const moment_case& c, op_kind op, dtype type, data_family family, random_engine& rng) {
  const std::int64_t count = element_count(c.extents);
  const auto x = elements(type, count, family, rng), y = elements(type, count, family, rng);
  const batches form = normalise(make_view(x.data(), type, c.extents), c.axes, order_of(op));
  reduction what = make_reduction(op, type, c.nan);
  what.correction = c.correction;
  if (c.result) what.result = *c.result;
  const plan p = make_plan(what, form, c.forced, cuda::device_traits());
  SCOPED_TRACE(explain(p) + "data: " + std::string(name(family)));
  const device_array x_there(x, c.shift_x * item_bytes(type)), y_there(y, c.shift_y * item_bytes(type));
  const operands here(x.data(), y.data()), there(x_there.data(), y_there.data());
  std::vector<std::byte> expected;
  try {
    expected = run_interpreted(p, here);
  } catch (const overflow_error&) {
    EXPECT_THROW(run_on_device(p, there), overflow_error);
    return;
  }
  const std::vector<std::byte> found = run_on_device(p, there);
  if (found == expected) return;
  const auto at = std::mismatch(found.begin(), found.end(), expected.begin()).first - found.begin();
  FAIL() << "byte " << at << " of " << found.size() << ", of results of " << result_bytes(what) << " bytes: found "
         << std::to_integer<int>(found[static_cast<std::size_t>(at)]) << ", expected "
         << std::to_integer<int>(expected[static_cast<std::size_t>(at)]);
}

class moments_on_device : public device_test, public ::testing::WithParamInterface<op_kind> {
 protected:
  random_engine rng{90};
};

// Rows with and without tiles, short rows, columns few and many, strides, parts of anything.
const std::vector<moment_case> shapes{
    {.extents = {1}, .axes = {0}},
    {.extents = {33}, .axes = {0}},
    {.extents = {300, 16}, .axes = {1}},
    {.extents = {257, 129}, .axes = {1}},
    {.extents = {2, 70001}, .axes = {1}},
    {.extents = {200007}, .axes = {0}},
    {.extents = {3001, 8}, .axes = {0}},
    {.extents = {40001, 3}, .axes = {0}},
    {.extents = {70, 1024}, .axes = {0}},
    {.extents = {3, 50, 65}, .axes = {1}},
    {.extents = {6, 7, 8, 9}, .axes = {0, 2}},
    {.extents = {20, 900, 5}, .axes = {0, 2}},
    {.extents = {12, 200}, .axes = {}},
    {.extents = {17001}, .axes = {0}},
};

TEST_P(moments_on_device, of_every_family_of_data_in_every_shape) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (const moment_case& shape : shapes) {
      for (const data_family family : all_families) {
        // The interpreter takes its time.
        const bool varied =
            family == data_family::normal || family == data_family::wide || family == data_family::specials;
        if (element_count(shape.extents) > 40000 && !varied) continue;
        ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, family, rng));
      }
    }
  }
}

TEST_P(moments_on_device, of_integers) {
  for (const dtype type : all_dtypes) {
    if (is_floating(type)) continue;
    for (const moment_case& shape : shapes) {
      ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, data_family::normal, rng));
    }
  }
}

TEST_P(moments_on_device, where_nan_is_omitted) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (moment_case shape : shapes) {
      shape.nan = nan_policy::omit;
      if (element_count(shape.extents) > 100000 && type != dtype::f32) continue;
      for (const data_family family : {data_family::normal, data_family::specials, data_family::empty_zeros}) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, family, rng));
      }
    }
  }
}

TEST_P(moments_on_device, of_arrays_at_any_addresses) {
  for (const dtype type : {dtype::f16, dtype::f32, dtype::f64}) {
    for (std::int64_t x = 0; x < 4; ++x) {
      for (std::int64_t y = 0; y < 4; y += 3) {
        for (moment_case shape : {shapes[3], shapes[4]}) {
          shape.shift_x = x;
          shape.shift_y = y;
          ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, data_family::lognormal, rng));
        }
      }
    }
  }
}

TEST_P(moments_on_device, with_other_results_corrections_and_parts) {
  for (const dtype type : {dtype::i8, dtype::u64, dtype::f16, dtype::f32, dtype::f64}) {
    for (moment_case shape : {shapes[0], shapes[3], shapes[5], shapes[7]}) {
      for (const dtype result : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
        shape.result = result;
        shape.correction = takes_correction(GetParam()) ? 1 : 0;
        ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, data_family::normal, rng));
      }
      shape.forced.parts = std::min<std::int64_t>(5, shape.extents[0] > 1 ? shape.extents.back() : 1);
      if (shape.axes[0] == 0) shape.forced.parts = std::min<std::int64_t>(5, shape.extents[0]);
      shape.forced.threads = 96;
      ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, data_family::wide, rng));
      shape.correction = takes_correction(GetParam()) ? INT64_MAX : 0;
      ASSERT_NO_FATAL_FAILURE(expect_agreement(shape, GetParam(), type, data_family::normal, rng));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ops, moments_on_device, ::testing::ValuesIn(moment_ops),
                         [](const auto& instance) { return std::string(name(instance.param)); });

class SanitizedMoments : public device_test {};

TEST_F(SanitizedMoments, every_kernel) {
  random_engine rng(5);
  for (const op_kind op : {op_kind::norm1, op_kind::cov, op_kind::describe}) {
    for (const dtype type : {dtype::i32, dtype::bf16, dtype::f32, dtype::f64}) {
      for (std::size_t i : {1u, 3u, 5u, 13u}) {
        if (i == 5 && type != dtype::f32) continue;
        for (const data_family family : {data_family::normal, data_family::wide}) {
          expect_agreement(shapes[i], op, type, family, rng);
        }
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
