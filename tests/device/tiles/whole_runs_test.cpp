// Runs of tiles that the lanes of several warps share, which look at them as a whole: whatever they are, and whatever
// the next run is.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class whole_runs : public exact_on_device {
 protected:
  // A card of few SMs reads so few batches in tiles, too. By a few blocks, which go through many tiles.
  void expect_same_of_all_groups(const reduction& what, std::int64_t batches, std::int64_t length,
                                 const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    engine_traits card = cuda::device_traits();
    card.units = 4;
    const array_view view = make_view(x.data(), what.input, {batches, length});
    const plan made = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, card);
    ASSERT_EQ(made.passes.front().kind, kernel::tiles) << explain(made);
    ASSERT_TRUE(made.passes.front().has_whole_runs()) << explain(made);
    const auto expected = run_interpreted(made, {x.data(), y.data()});
    const device_array x_there(x), y_there(y);
    for (const int group : {32, 64, 128, 256}) {
      for (const std::int64_t blocks : {1, 3}) {
        plan p = made;
        p.passes.front().group = group;
        p.passes.front().blocks = blocks;
        ASSERT_EQ(run_on_device(p, {x_there.data(), y_there.data()}), expected) << explain(p);
      }
    }
  }
};

// Of which a tile takes one, two, three or seven.
constexpr std::int64_t run_bytes[] = {30'001, 15'003, 10'007, 4'201};
constexpr std::int64_t rows = 29;

TEST_F(whole_runs, sums_by_several_warps) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t bytes : run_bytes) {
      const std::int64_t length = bytes / item_bytes(type);
      for (const std::int64_t step : {1, 5}) {
        const auto x = mixed_elements(type, rows, length, step);
        const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
        ASSERT_NO_FATAL_FAILURE(expect_same_of_all_groups(what, rows, length, x, x));
      }
    }
  }
}

TEST_F(whole_runs, moments_by_several_warps) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op :
         {op_kind::norm1, op_kind::norm2, op_kind::dot, op_kind::var, op_kind::cov, op_kind::describe}) {
      for (const std::int64_t bytes : {run_bytes[0], run_bytes[2]}) {
        const std::int64_t length = bytes / item_bytes(type) / (takes_two_arrays(op) ? 2 : 1);
        const auto x = mixed_elements(type, rows, length, 1), y = mixed_elements(type, rows, length, 5);
        ASSERT_NO_FATAL_FAILURE(expect_same_of_all_groups(make_reduction(op, type), rows, length, x, y));
      }
    }
  }
}

// Both kinds of slots, of runs that each ask for another exchange.
class whole_runs_Sanitized : public whole_runs {};

TEST_F(whole_runs_Sanitized, by_several_warps) {
  constexpr std::int64_t length = 1000, few = 13;
  for (const op_kind op : {op_kind::sum, op_kind::dot, op_kind::describe}) {
    const auto x = mixed_elements(dtype::f32, few, length, 1), y = mixed_elements(dtype::f32, few, length, 5);
    ASSERT_NO_FATAL_FAILURE(expect_same_of_all_groups(make_reduction(op, dtype::f32), few, length, x, y));
  }
}

}  // namespace
}  // namespace multifold::device_tests
