// Rows of several tiles, whose lanes gather tile by tile and meet at the end: whatever the rows are, whole or in
// parts, and whatever the next row is.
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class open_runs : public exact_on_device {
 protected:
  // By a card of so few SMs, and few of their blocks, which go from row to row.
  void expect_same(const reduction& what, std::int64_t batches, std::int64_t length, int units) {
    const auto x = mixed_elements(what.input, batches, length, 1), y = mixed_elements(what.input, batches, length, 5);
    engine_traits card = cuda::device_traits();
    card.units = units;
    const array_view view = make_view(x.data(), what.input, {batches, length});
    const plan made = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, card);
    const pass& first = made.passes.front();
    ASSERT_EQ(first.kind, kernel::tiles) << explain(made);
    ASSERT_LT(first.box.rows, length) << explain(made);
    ASSERT_EQ(first.parts > 1, units > few_units) << explain(made);
    const auto expected = run_interpreted(made, {x.data(), y.data()});
    const device_array x_there(x), y_there(y);
    for (const int group : {32, 64, 128, 256}) {
      for (const std::int64_t blocks : {std::int64_t{1}, std::int64_t{3}, first.blocks}) {
        plan p = made;
        p.passes.front().group = group;
        p.passes.front().blocks = blocks;
        ASSERT_EQ(run_on_device(p, {x_there.data(), y_there.data()}), expected) << explain(p);
      }
    }
  }

  static constexpr int few_units = 1, more_units = 4;
  static constexpr std::int64_t rows = 29, fewer_rows = 17;
};

// Of two tiles and of four, the last of them not full.
TEST_F(open_runs, sums) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t bytes : {31'003, 91'003}) {
      const std::int64_t length = bytes / item_bytes(type);
      const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
      ASSERT_NO_FATAL_FAILURE(expect_same(what, rows, length, few_units));
      ASSERT_NO_FATAL_FAILURE(expect_same(what, fewer_rows, length, more_units));
    }
  }
}

// Longer rows of other dtypes than f16 are read by blocks of their own.
TEST_F(open_runs, moments) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op :
         {op_kind::norm1, op_kind::norm2, op_kind::dot, op_kind::var, op_kind::cov, op_kind::describe}) {
      const std::int64_t bytes = type == dtype::f16 ? 70'001 : 32'003;
      const std::int64_t length = bytes / item_bytes(type);
      ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, type), rows, length, few_units));
      ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, type), fewer_rows, length, more_units));
    }
  }
}

// Both kinds of slots, of rows that each ask for as many windows as they need.
class open_runs_Sanitized : public open_runs {};

TEST_F(open_runs_Sanitized, by_several_warps) {
  constexpr std::int64_t length = 8000;
  for (const op_kind op : {op_kind::sum, op_kind::dot, op_kind::describe})
    ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, dtype::f32), rows, length, few_units));
}

}  // namespace
}  // namespace multifold::device_tests
