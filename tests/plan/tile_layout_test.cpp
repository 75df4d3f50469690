// Boxes of tiles: they fit their memory and cover the array, whatever its form.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "plan/layout.hpp"
#include "plan/plan_forms.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

constexpr dtype dtypes[] = {dtype::boolean, dtype::i16,  dtype::u32, dtype::i64,
                            dtype::f16,     dtype::bf16, dtype::f32, dtype::f64};

using detail::ceil_div;

// `item` bytes an element, in `arrays` arrays.
void expect_box(const pass& at, std::int64_t item, int arrays) {
  const tiled_array& of = at.array;
  const tile_box& box = at.box;
  const std::int64_t stage_bytes = tile_stage_bytes / arrays / tile_line_bytes * tile_line_bytes;
  ASSERT_GE(box.outers, 1);
  ASSERT_GE(box.rows, 1);
  ASSERT_GE(box.columns, 1);
  EXPECT_EQ(at.threads, tile_threads);
  EXPECT_EQ(tile_threads % at.group, 0);
  EXPECT_LE(ceil_div(box.rows, at.group), most_run_share);
  // Pieces begin anywhere in a line, and come with what stands around them, up to a multiple of 16 bytes.
  const bool by_rows = of.inner > 1;
  const std::int64_t pieces = box.pitch == 0 ? 1 : by_rows ? std::int64_t{box.outers} * box.rows : box.outers;
  const std::int64_t elements = std::int64_t{box.outers} * box.rows * box.columns;
  const std::int64_t piece_bytes = elements / pieces * item;
  if (box.pitch != 0) {
    // They stand in steps, which are those of memory modulo a line.
    EXPECT_EQ(((by_rows ? of.row_stride : of.outer_stride) * item - box.pitch) % tile_line_bytes, 0);
    EXPECT_TRUE(box.outers == 1 || !by_rows);
    EXPECT_GE(box.pitch, piece_bytes + 2 * 15);
    EXPECT_LE(tile_line_bytes + (pieces - 1) * box.pitch + piece_bytes + 15, stage_bytes);
  } else {
    EXPECT_LE(piece_bytes + tile_line_bytes + 15, stage_bytes);
    EXPECT_TRUE(box.outers == 1 || of.outer_stride == of.length * of.inner);
    EXPECT_TRUE(box.rows == 1 || of.inner == 1 || of.row_stride == box.columns);
  }
  // A block that goes on with a batch keeps its value in its threads: they have one run each.
  const bool whole = box.rows == of.length && at.parts == 1;
  if (!whole) {
    EXPECT_EQ(box.outers, 1);
    EXPECT_LE(ceil_div(box.columns, at.vector) * at.group, tile_threads);
    EXPECT_FALSE(box.turned);
  }
  const std::int64_t boxes = ceil_div(of.outer, box.outers) * ceil_div(of.inner, box.columns);
  EXPECT_LE(at.blocks, boxes * at.parts);
}

TEST(tile_layout, boxes_fit_and_cover_random_forms) {
  test::random_bits rng(41);
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
    SCOPED_TRACE(explain(p));
    ASSERT_NO_FATAL_FAILURE(expect_box(p.passes.front(), item_bytes(type), 1));
    if (gathers_exactly(p.what) && p.passes.front().vector > 1) {
      EXPECT_TRUE(p.passes.front().has_whole_runs());
      EXPECT_EQ(p.passes.front().group, 1);
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(tiled, 10000);
}

// A dense array of some axes in any order of memory.
array_view random_tensor(test::random_bits& rng, dtype type) {
  std::vector<std::int64_t> extents(3 + rng() % 3), order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  for (std::int64_t& extent : extents) extent = 2 + static_cast<std::int64_t>(rng() % (std::uint64_t{1} << rng() % 9));
  array_view view = make_view(nullptr, type, extents);
  std::int64_t stride = 1;
  for (const std::int64_t axis : order) {
    view.strides[static_cast<std::size_t>(axis)] = stride;
    stride *= extents[static_cast<std::size_t>(axis)];
  }
  return view;
}

TEST(tile_layout, dense_tensors_are_chains_of_tiles_whatever_their_order) {
  test::random_bits rng(43);
  constexpr op_kind ops[] = {op_kind::sum, op_kind::prod, op_kind::argmax, op_kind::var, op_kind::cov, op_kind::norm1};
  int chains = 0;
  for (int i = 0; i < 20000; ++i) {
    const dtype type = dtypes[rng() % std::size(dtypes)];
    const op_kind op = ops[rng() % std::size(ops)];
    const array_view view = random_tensor(rng, type);
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
      if (rng() % 2 == 0) axes.push_back(axis);
    }
    const batches form = normalise(view, axes, order_of(op));
    if (axes.empty() || form.results() < 2) continue;
    const plan p = make_plan(make_reduction(op, type), form, {}, h200_traits());
    SCOPED_TRACE(explain(p));
    expect_sound(p);
    for (std::size_t k = 0; k < p.passes.size(); ++k) {
      const pass& at = p.passes[k];
      if (form.pattern == access::strided) {
        ++chains;
        EXPECT_TRUE(at.kind == kernel::tiles || (k == 0 ? at.kind == kernel::columns : at.kind == kernel::partials));
      }
      if (at.kind != kernel::tiles) continue;
      const std::int64_t item = k == 0 ? item_bytes(type) : p.accumulator_bytes;
      ASSERT_NO_FATAL_FAILURE(expect_box(at, item, k == 0 && takes_two_arrays(op) ? 2 : 1));
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(chains, 10000);
}

TEST(tile_layout, the_longest_reduced_run_goes_first) {
  const plan p = sum_plan(form_of({100, 70, 30, 30, 20}, {0, 2, 4}));
  ASSERT_EQ(p.passes.size(), 3u);
  EXPECT_EQ(p.passes[0].length, 100);
  EXPECT_EQ(p.passes[0].batches, 70 * 30 * 30 * 20);
  EXPECT_EQ(p.passes[1].length, 30);
  EXPECT_EQ(p.passes[2].length, 20);
  EXPECT_EQ(p.passes[2].batches, 70 * 30);
}

TEST(tile_layout, nothing_that_is_forced_is_read_in_tiles) {
  const batches form = form_of({1000, 333}, {1});
  EXPECT_EQ(sum_plan(form).passes[0].kind, kernel::tiles);
  EXPECT_EQ(sum_plan(form, {.how = finish::next_pass}).passes[0].kind, kernel::block_rows);
  EXPECT_EQ(sum_plan(form, {.parts = 2}).passes[0].kind, kernel::block_rows);
  EXPECT_EQ(sum_plan(form, {.threads = 128}).passes[0].kind, kernel::block_rows);
  const batches columns = form_of({1000, 333}, {0});
  EXPECT_EQ(sum_plan(columns).passes[0].kind, kernel::tiles);
  EXPECT_EQ(sum_plan(columns, {.threads = 128}).passes[0].kind, kernel::strided);
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
  EXPECT_EQ(sum_plan(form, {}, with_shared(48, 48)).passes[0].kind, kernel::block_rows);
  const batches row = form_of({1 << 28}, {0}, dtype::f64);
  const auto exact = [&](const engine_traits& card) {
    return sum_plan(row, {}, card, dtype::f64, accuracy::exact).passes[0].kind;
  };
  EXPECT_EQ(exact(h200_traits()), kernel::exact_rows);
  EXPECT_EQ(exact(with_shared(163, 164)), kernel::block_rows);
}

TEST(tile_layout, exact_sums_of_short_columns_take_several_a_thread) {
  const auto columns_of = [](dtype type, const list& extents, nan_policy nan = nan_policy::propagate) {
    const reduction what = make_reduction(op_kind::sum, type, nan, accuracy::exact);
    return make_plan(what, form_of(extents, {1}, type), {}, h200_traits()).passes[0].vector;
  };
  EXPECT_EQ(columns_of(dtype::f32, {5, 2, 1 << 20}), 2);
  EXPECT_EQ(columns_of(dtype::f64, {236, 2, 88252}), 1);
  EXPECT_EQ(columns_of(dtype::bf16, {6, 3, 1 << 20}), 4);
  EXPECT_EQ(columns_of(dtype::f16, {6, 3, 1 << 20}), 4);
  EXPECT_EQ(columns_of(dtype::f32, {5, 1000, 1 << 16}), 1);  // in several tiles
  EXPECT_EQ(columns_of(dtype::f32, {5, 2, 1 << 20}, nan_policy::omit), 1);
}

TEST(tile_layout, moments_that_double_holds_take_several_columns_a_thread) {
  const auto columns_of = [](op_kind op, dtype type) {
    return make_plan(make_reduction(op, type), form_of({6, 3, 1 << 20}, {1}, type), {}, h200_traits()).passes[0].vector;
  };
  EXPECT_EQ(columns_of(op_kind::var, dtype::f16), 4);
  EXPECT_EQ(columns_of(op_kind::dot, dtype::bf16), 2);
  EXPECT_EQ(columns_of(op_kind::norm1, dtype::f32), 2);
  EXPECT_EQ(columns_of(op_kind::sumsq, dtype::f32), 1);
  EXPECT_EQ(columns_of(op_kind::describe, dtype::f16), 1);
}

TEST(tile_layout, threads_are_dealt_by_what_a_box_has) {
  EXPECT_EQ(sum_plan(form_of({1 << 22, 17}, {1})).passes[0].group, 1);
  EXPECT_EQ(sum_plan(form_of({1 << 14, 7501}, {1})).passes[0].group, 256);
  EXPECT_EQ(sum_plan(form_of({1 << 20, 64, 2}, {1})).passes[0].box.turned, true);  // 128 floats apart: one bank
  EXPECT_EQ(sum_plan(form_of({1 << 22, 17}, {1})).passes[0].box.turned, false);
}

// Rows of any dtype: those that fill boxes, and those that do not.
TEST(tile_layout, rows_that_leave_boxes_empty_have_blocks) {
  const auto kernel_of = [](op_kind op, dtype type, std::int64_t bytes) {
    const std::int64_t length = bytes / item_bytes(type);
    return make_plan(make_reduction(op, type), form_of({1 << 14, length}, {1}, type), {}, h200_traits()).passes[0].kind;
  };
  for (const dtype type : {dtype::i8, dtype::u16, dtype::f32, dtype::f64}) {
    for (const std::int64_t bytes : {400, 4000, 14'000, 29'000, 30'000, 58'000})
      EXPECT_EQ(kernel_of(op_kind::max, type, bytes), kernel::tiles) << bytes;
    for (const std::int64_t bytes : {16'000, 24'000, 32'000, 48'000, 70'000, 88'000})
      EXPECT_EQ(kernel_of(op_kind::max, type, bytes), kernel::block_rows) << bytes;
  }
  EXPECT_EQ(kernel_of(op_kind::prod, dtype::f64, 5000), kernel::block_rows);
  EXPECT_EQ(kernel_of(op_kind::prod, dtype::f64, 4000), kernel::tiles);
  EXPECT_EQ(kernel_of(op_kind::prod, dtype::f32, 5000), kernel::tiles);
}

// Small blocks, if there are rows enough for all that SMs hold.
TEST(tile_layout, blocks_of_rows_are_as_large_as_their_rows) {
  const auto threads_of = [](std::int64_t rows, std::int64_t length) {
    return make_plan(make_reduction(op_kind::max, dtype::f32), form_of({rows, length}, {1}, dtype::f32), {},
                     h200_traits())
        .passes[0]
        .threads;
  };
  EXPECT_EQ(threads_of(20000, 8001), 32);
  EXPECT_EQ(threads_of(20000, 18001), 64);
  EXPECT_EQ(threads_of(20000, 160001), 512);
  EXPECT_EQ(threads_of(2000, 8001), 256);
  EXPECT_EQ(threads_of(300, 8001), 512);
}

// A tile has three runs, two, or one. Where runs are looked at as a whole, half of a block's warps take those of a
// tile.
TEST(tile_layout, several_warps_share_a_run_where_a_tile_has_few) {
  const auto first_of = [](op_kind op, dtype type, std::int64_t length) {
    return make_plan(make_reduction(op, type), form_of({1 << 14, length}, {1}, type), {}, h200_traits()).passes[0];
  };
  for (const op_kind op : {op_kind::sum, op_kind::var}) {
    for (const dtype type : {dtype::f16, dtype::bf16}) {
      EXPECT_EQ(first_of(op, type, 5001).group, 32);
      EXPECT_EQ(first_of(op, type, 7001).group, 64);
      EXPECT_EQ(first_of(op, type, 15001).group, 128);
      EXPECT_TRUE(first_of(op, type, 15001).has_whole_runs());
    }
  }
  EXPECT_GT(first_of(op_kind::max, dtype::bf16, 5001).group, 32);
}

TEST(tile_layout, moments_leave_room_for_as_many_blocks_as_sums) {
  const auto blocks_of = [](op_kind op, dtype type, const list& extents) {
    return make_plan(make_reduction(op, type), form_of(extents, {1}, type), {}, h200_traits()).passes[0].blocks;
  };
  EXPECT_EQ(blocks_of(op_kind::dot, dtype::f32, {1 << 20, 333}), 132 * 3);
  EXPECT_EQ(blocks_of(op_kind::describe, dtype::f32, {1 << 20, 333}), 132 * 2);  // accumulators are larger
  EXPECT_EQ(blocks_of(op_kind::var, dtype::f16, {1, 2, 1 << 26}), 132 * 2);      // of four columns
}

// Accumulators of all parts, written and read again, are fewer bytes than the batch.
TEST(tile_layout, short_batches_have_few_parts) {
  const list extents{7, 342, 61908};
  const auto parts_of = [&](op_kind op) {
    return make_plan(make_reduction(op, dtype::i16), form_of(extents, {1}, dtype::i16), {}, h200_traits())
        .passes[0]
        .parts;
  };
  const std::int64_t accumulator = tiled_bytes(make_reduction(op_kind::norm2, dtype::i16));
  EXPECT_LT(parts_of(op_kind::norm2) * 2 * accumulator, 342 * 2);
  EXPECT_LE(parts_of(op_kind::norm2), parts_of(op_kind::max));
}

}  // namespace
}  // namespace multifold::plan_tests
