// Rows that a warp reads by itself: whatever they are, whatever the last ones were, and wherever they begin.
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class warp_rows : public exact_on_device {
 protected:
  // By one block, whose warps have several rows each.
  void expect_same(const reduction& what, std::int64_t batches, std::int64_t length, const std::vector<std::byte>& x,
                   std::int64_t shift = 0) {
    engine_traits card = cuda::device_traits();
    card.units = 1;
    const array_view view = make_view(x.data(), what.input, {batches, length});
    plan p = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, card);
    ASSERT_EQ(p.passes.front().kind, kernel::tiles) << explain(p);
    p.passes.front().blocks = 1;
    ASSERT_TRUE(p.passes.front().has_warp_rows(item_bytes(what.input))) << explain(p);
    const device_array there(x, shift * item_bytes(what.input));
    ASSERT_EQ(run_on_device(p, there.data()), summed(p, x.data())) << explain(p);
  }

  // Rows of all families: some of each, one after the other for a warp, so that it tries what the last ones took.
  std::vector<std::byte> elements_in_turn(dtype type, std::int64_t batches, std::int64_t length) {
    std::vector<std::byte> all;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      const auto family = static_cast<std::size_t>(batch / 8 / 5 + batch % 8) % std::size(all_families);
      const auto some = exact_elements(type, length, all_families[family], rng);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
};

constexpr dtype types[] = {dtype::bf16, dtype::f32, dtype::f64};
constexpr std::int64_t batches = 8 * 5 * 12 + 3;

TEST_F(warp_rows, of_all_families) {
  for (const dtype type : types) {
    for (const std::int64_t length : {513, 1000, 2047}) {
      for (const op_kind op : {op_kind::sum, op_kind::mean}) {
        const reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
        const auto x = elements_in_turn(type, batches, length);
        ASSERT_NO_FATAL_FAILURE(expect_same(what, batches, length, x));
      }
    }
  }
}

// One family from the first row to the last: windows are as many as it takes, and stay so.
TEST_F(warp_rows, of_one_family) {
  for (const dtype type : types) {
    for (const data_family family : all_families) {
      constexpr std::int64_t rows = 8 * 24;
      const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
      const auto x = exact_elements(type, rows * 770, family, rng);
      SCOPED_TRACE(std::string(name(type)) + " " + std::string(name(family)));
      ASSERT_NO_FATAL_FAILURE(expect_same(what, rows, 770, x));
    }
  }
}

TEST_F(warp_rows, from_any_element_on) {
  for (const dtype type : types) {
    for (std::int64_t shift = 0; shift < 9; ++shift) {
      const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
      constexpr std::int64_t rows = 40;
      const std::int64_t length = 512 + 7 * shift;
      ASSERT_NO_FATAL_FAILURE(expect_same(what, rows, length, mixed_elements(type, rows, length, 1), shift));
    }
  }
}

TEST_F(warp_rows, of_several_tiles) {
  for (const dtype type : types) {
    const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
    const std::int64_t length = 50'001 / item_bytes(type);
    ASSERT_NO_FATAL_FAILURE(expect_same(what, 70, length, mixed_elements(type, 70, length, 1)));
  }
}

class warp_rows_Sanitized : public warp_rows {};

TEST_F(warp_rows_Sanitized, of_few_families) {
  for (const dtype type : types) {
    const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
    ASSERT_NO_FATAL_FAILURE(expect_same(what, 37, 515, mixed_elements(type, 37, 515, 1), 1));
  }
}

}  // namespace
}  // namespace multifold::device_tests
