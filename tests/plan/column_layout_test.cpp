// Wide columns: threads and parts cover them, each element is one thread's, and no lane has more than it holds.
#include <cstdint>
#include <vector>

#include "plan/layout.hpp"
#include "plan/layouts/column.hpp"
#include "plan/plan_forms.hpp"
#include "plan/plan_rules.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

using detail::ceil_div;

// As kernels/columns.cuh deals them.
void expect_columns(const pass& at) {
  const std::int64_t across = at.box.columns / at.vector, boxes = ceil_div(at.array.inner, at.box.columns);
  EXPECT_EQ(at.box.columns % at.vector, 0);
  EXPECT_GE(at.array.inner, at.vector);
  EXPECT_LE(across * at.group, at.threads);
  EXPECT_LE(at.threads, column_threads);
  EXPECT_EQ(at.threads % 32, 0);
  EXPECT_LT((boxes - 1) * at.box.columns, at.array.inner) << "a box is empty";
  EXPECT_LE(ceil_div(at.part_length, at.group), most_run_share);
  EXPECT_TRUE(at.contiguous());
  EXPECT_LE(detail::column_items(at), INT32_MAX - at.blocks) << "blocks step beyond what an int counts";
  EXPECT_LE(at.blocks, detail::column_items(at));
}

TEST(column_layout, threads_cover_random_columns) {
  test::random_bits rng(44);
  constexpr dtype dtypes[] = {dtype::boolean, dtype::u8,  dtype::i16, dtype::bf16,
                              dtype::f32,     dtype::i32, dtype::i64, dtype::f64};
  constexpr op_kind ops[] = {op_kind::min, op_kind::argmax, op_kind::prod, op_kind::count_nonzero, op_kind::sum};
  const auto size = [&](int bits) {
    return 1 + static_cast<std::int64_t>(rng() % (std::uint64_t{2} << rng() % static_cast<unsigned>(bits)));
  };
  int walked = 0;
  for (int i = 0; i < 20000; ++i) {
    const dtype type = dtypes[rng() % std::size(dtypes)];
    const op_kind op = ops[rng() % std::size(ops)];
    const std::vector<std::int64_t> extents{size(12), size(20), size(20)};
    const batches form = normalise(make_view(nullptr, type, extents), {1}, order_of(op));
    const plan p = make_plan(make_reduction(op, type), form, {}, h200_traits());
    const pass& at = p.passes.front();
    if (at.kind != kernel::columns) continue;
    ++walked;
    SCOPED_TRACE(explain(p));
    ASSERT_NO_FATAL_FAILURE(expect_columns(at));
    expect_sound(p);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(walked, 5000);
}

TEST(column_layout, blocks_count_as_far_as_an_int_goes) {
  bool last = true;
  for (const int bits : {20, 24, 27, 28, 29, 30, 31, 32}) {
    const batches form =
        normalise(make_view(nullptr, dtype::i8, {INT64_C(1) << bits, 40, 512}), {1}, order_of(op_kind::sum));
    const plan p = make_plan(make_reduction(op_kind::sum, dtype::i8), form, {}, h200_traits());
    const bool columns = p.passes.front().kind == kernel::columns;
    if (columns) expect_columns(p.passes.front());
    EXPECT_TRUE(last || !columns) << bits;
    EXPECT_TRUE(columns || bits > 24) << bits;
    EXPECT_TRUE(!columns || bits < 30) << bits;
    last = columns;
  }
}

TEST(column_layout, folds_of_wide_columns_alone) {
  const auto kernel_of = [](op_kind op, dtype type, std::int64_t inner) {
    const batches form = normalise(make_view(nullptr, type, {30, 100, inner}), {1}, order_of(op));
    return make_plan(make_reduction(op, type), form, {}, h200_traits()).passes.front().kind;
  };
  EXPECT_EQ(kernel_of(op_kind::argmax, dtype::bf16, 256), kernel::columns);
  EXPECT_EQ(kernel_of(op_kind::sum, dtype::i32, 128), kernel::columns);
  EXPECT_EQ(kernel_of(op_kind::prod, dtype::f64, 64), kernel::columns);
  EXPECT_EQ(kernel_of(op_kind::argmax, dtype::bf16, 255), kernel::tiles);
  EXPECT_EQ(kernel_of(op_kind::max, dtype::bf16, 1000), kernel::tiles);
  EXPECT_EQ(kernel_of(op_kind::sum, dtype::f32, 1000), kernel::tiles);
  EXPECT_EQ(kernel_of(op_kind::var, dtype::i32, 1000), kernel::tiles);
}

}  // namespace
}  // namespace multifold::plan_tests
