// Boxes of tiles: they fit their memory and cover the array, whatever its form.
#include <cstdint>
#include <iterator>
#include <random>

#include "plan/layout.hpp"
#include "plan/plan_forms.hpp"

namespace multifold::plan_tests {
namespace {

constexpr dtype dtypes[] = {dtype::boolean, dtype::i16,  dtype::u32, dtype::i64,
                            dtype::f16,     dtype::bf16, dtype::f32, dtype::f64};

using detail::ceil_div;

void expect_box(const plan& p) {
  SCOPED_TRACE(explain(p));
  const pass& at = p.passes.front();
  const batches& form = p.form;
  const std::int64_t item = item_bytes(p.what.input);
  const tile_box& box = at.box;
  ASSERT_GE(box.outers, 1);
  ASSERT_GE(box.rows, 1);
  ASSERT_GE(box.columns, 1);
  EXPECT_EQ(at.threads, tile_threads);
  EXPECT_EQ(tile_threads % at.group, 0);
  // Pieces come with what stands around them, up to a multiple of 16 bytes on both sides.
  const bool by_rows = form.inner > 1;
  const std::int64_t pieces = box.pitch == 0 ? 1 : by_rows ? std::int64_t{box.outers} * box.rows : box.outers;
  const std::int64_t elements = std::int64_t{box.outers} * box.rows * box.columns;
  const std::int64_t piece_bytes = elements / pieces * item;
  if (box.pitch != 0) {
    EXPECT_EQ(box.pitch % 32, 16);
    EXPECT_GE(box.pitch, ceil_div(piece_bytes + 15, 16) * 16);
    EXPECT_LE(pieces * box.pitch, tile_stage_bytes);
  } else {
    EXPECT_LE(piece_bytes + 30, tile_stage_bytes);
    EXPECT_TRUE(box.outers == 1 || form.outer_run.stride == form.length * form.inner);
    EXPECT_TRUE(box.rows == 1 || form.inner == 1 || form.length_run.stride == box.columns);
  }
  // A block that goes on with a batch keeps its value in its threads: they have one run each.
  const bool whole = box.rows == form.length && at.parts == 1;
  if (!whole) {
    EXPECT_EQ(box.outers, 1);
    EXPECT_LE(std::int64_t{box.columns} * at.group, tile_threads);
    EXPECT_FALSE(box.turned);
  }
  const std::int64_t boxes = ceil_div(form.outer, box.outers) * ceil_div(form.inner, box.columns);
  EXPECT_LE(at.blocks, boxes * at.parts);
}

TEST(tile_layout, boxes_fit_and_cover_random_forms) {
  std::mt19937_64 rng(41);
  const auto size = [&](int bits) {
    const auto most = std::int64_t{1} << (rng() % static_cast<std::uint64_t>(bits));
    return 1 + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(2 * most));
  };
  int tiled = 0;
  for (int i = 0; i < 20000; ++i) {
    const dtype type = dtypes[rng() % std::size(dtypes)];
    const std::int64_t length = size(18), inner = rng() % 3 == 0 ? 1 : size(14), outer = size(12);
    array_view view = make_view(nullptr, type, {outer, length, inner});
    // Gaps between rows and outers, and rows that go backwards.
    if (rng() % 3 == 0) {
      const std::int64_t row = inner + static_cast<std::int64_t>(rng() % 5), sign = rng() % 2 == 0 ? 1 : -1;
      view.strides = {row * length + static_cast<std::int64_t>(rng() % 7), inner == 1 ? 1 : sign * row, 1};
    }
    const accuracy numerics = rng() % 2 == 0 ? accuracy::exact : accuracy::fast;
    const plan p = sum_plan(normalise(view, {1}, element_order::any), {}, h200_traits(), type, numerics);
    if (p.passes.front().kind != kernel::tiles) continue;
    ++tiled;
    ASSERT_NO_FATAL_FAILURE(expect_box(p));
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(tiled, 10000);
}

TEST(tile_layout, nothing_that_is_forced_is_read_in_tiles) {
  const batches form = form_of({1000, 333}, {1});
  EXPECT_EQ(sum_plan(form).passes[0].kind, kernel::tiles);
  EXPECT_EQ(sum_plan(form, {.how = finish::next_pass}).passes[0].kind, kernel::block_rows);
  EXPECT_EQ(sum_plan(form, {.parts = 2}).passes[0].kind, kernel::block_rows);
  EXPECT_EQ(sum_plan(form, {.threads = 128}).passes[0].kind, kernel::group_rows);
}

engine_traits with_shared(std::int64_t block, std::int64_t unit) {
  engine_traits t = h200_traits();
  t.block_shared_bytes = block << 10;
  t.unit_shared_bytes = unit << 10;
  return t;
}

// An A100's, a GeForce card's, and less than any has that kernels are compiled for.
TEST(tile_layout, cards_with_less_shared_memory_have_fewer_blocks_or_other_kernels) {
  const batches form = form_of({1 << 20, 333}, {1});
  EXPECT_EQ(sum_plan(form).passes[0].blocks, 132 * 3);
  EXPECT_EQ(sum_plan(form, {}, with_shared(163, 164)).passes[0].blocks, 132 * 2);
  EXPECT_EQ(sum_plan(form, {}, with_shared(99, 100)).passes[0].blocks, 132);
  EXPECT_EQ(sum_plan(form, {}, with_shared(64, 64)).passes[0].kind, kernel::group_rows);
  const batches row = form_of({1 << 28}, {0}, dtype::f64);
  const auto exact = [&](const engine_traits& card) {
    return sum_plan(row, {}, card, dtype::f64, accuracy::exact).passes[0].kind;
  };
  EXPECT_EQ(exact(h200_traits()), kernel::exact_rows);
  EXPECT_EQ(exact(with_shared(163, 164)), kernel::block_rows);
}

TEST(tile_layout, threads_are_dealt_by_what_a_box_has) {
  EXPECT_EQ(sum_plan(form_of({1 << 22, 17}, {1})).passes[0].group, 1);
  EXPECT_EQ(sum_plan(form_of({1 << 14, 5001}, {1})).passes[0].group, 256);
  EXPECT_EQ(sum_plan(form_of({1 << 20, 64, 2}, {1})).passes[0].box.turned, true);  // 128 floats apart: one bank
  EXPECT_EQ(sum_plan(form_of({1 << 20, 63, 3}, {1})).passes[0].box.turned, false);
}

}  // namespace
}  // namespace multifold::plan_tests
