// Rows of moments that groups of a warp's lanes read by themselves: whatever they are, whatever the last ones were, and
// wherever they begin.
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"

namespace multifold::device_tests {
namespace {

class group_rows : public exact_on_device {
 protected:
  // By one block, whose warps have several sets of rows each.
  void expect_same(op_kind op, dtype type, std::int64_t batches, std::int64_t length, const std::vector<std::byte>& x,
                   std::int64_t shift = 0, std::int64_t apart = 0) {
    const reduction what = make_reduction(op, type);
    engine_traits card = cuda::device_traits();
    card.units = 1;
    const std::int64_t stride = length + apart;
    const array_view view{x.data(), type, {batches, length}, {stride, 1}, place::host};
    plan p = make_plan(what, normalise(view, {1}, order_of(op)), {}, card);
    ASSERT_EQ(p.passes.front().kind, kernel::tiles) << explain(p);
    p.passes.front().blocks = 1;
    ASSERT_TRUE(p.passes.front().has_group_rows(item_bytes(type))) << explain(p);
    const device_array there(x, shift * item_bytes(type));
    ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, x.data())) << explain(p);
  }
};

constexpr dtype types[] = {dtype::bf16, dtype::f32, dtype::f64};
constexpr op_kind ops[] = {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::var, op_kind::std};

TEST_F(group_rows, of_all_families) {
  for (const dtype type : types) {
    for (const std::int64_t length : {65, 100, 256, 515}) {
      const auto x = mixed_elements(type, 261, length, 1);
      for (const op_kind op : ops) ASSERT_NO_FATAL_FAILURE(expect_same(op, type, 261, length, x));
    }
  }
}

// One family from the first row to the last: squares begin where those of the last ones were.
TEST_F(group_rows, of_one_family) {
  for (const dtype type : types) {
    for (const data_family family : all_families) {
      const auto x = exact_elements(type, 264 * 80, family, rng);
      SCOPED_TRACE(std::string(name(type)) + " " + std::string(name(family)));
      for (const op_kind op : {op_kind::norm1, op_kind::norm2, op_kind::var}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, 264, 80, x));
      }
    }
  }
}

// The first and the last vector of a row hold what is not its, or what is not the array's.
TEST_F(group_rows, from_any_element_on) {
  for (const dtype type : types) {
    for (std::int64_t shift = 0; shift < 9; ++shift) {
      const std::int64_t length = 64 + 7 * shift;
      const auto x = mixed_elements(type, 257, length, 1);
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::var, type, 257, length, x, shift));
      const auto rows_apart = mixed_elements(type, 257, length + shift, 1);
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::norm2, type, 257, length, rows_apart, 0, shift));
    }
  }
}

TEST_F(group_rows, of_many_chunks) {
  for (const dtype type : types) {
    const std::int64_t length = 50'001 / item_bytes(type);
    const auto x = mixed_elements(type, 40, length, 1);
    ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::std, type, 40, length, x, 1));
  }
}

class group_rows_Sanitized : public group_rows {};

TEST_F(group_rows_Sanitized, of_few_families) {
  for (const dtype type : types) {
    const auto x = mixed_elements(type, 256, 67, 1);
    ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::var, type, 256, 67, x, 1));
  }
}

}  // namespace
}  // namespace multifold::device_tests
