// Which arrays two engines share in parts of slices, and which in whole ones.
#include "stream/shared_array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace multifold::inline v0_1::stream {
namespace {

shared_array shared(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& axes,
                    op_kind op = op_kind::sum) {
  const array_view view = make_view(nullptr, dtype::f32, extents);
  return shared_array(make_reduction(op, view.type), normalise(view, axes, order_of(op)));
}

TEST(shared_array, one_slice_is_cut_anywhere_whatever_its_accumulators_take) {
  for (const std::vector<std::int64_t>& extents :
       {std::vector<std::int64_t>{1 << 24, 1}, {1 << 12, 1 << 12}, {4, 1 << 22}}) {
    shared_array all = shared(extents, {0});
    EXPECT_TRUE(all.open);
    EXPECT_EQ(all.array.results, extents[1]);
    const host::interval unit = all.units.claim(shared_by::host, 1);
    EXPECT_EQ(unit.end - unit.begin, 1 << 18);  // a MiB
  }
}

TEST(shared_array, a_few_long_rows_are_cut_and_many_stay_whole) {
  EXPECT_TRUE(shared({8, 1 << 20}, {1}).open);
  shared_array rows = shared({1000, 1000}, {1});
  EXPECT_FALSE(rows.open);
  const host::interval unit = rows.units.claim(shared_by::device, 1);
  EXPECT_EQ(unit.begin, 0);
  EXPECT_EQ(unit.end % 1000, 0);
  EXPECT_GT(unit.end, 0);
  // A few short ones are not worth accumulators of each.
  EXPECT_FALSE(shared({8, 16}, {1}).open);
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
