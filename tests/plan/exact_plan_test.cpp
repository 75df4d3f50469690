// Which kernels exact sums take, and what they need beside them.
#include <gtest/gtest.h>

#include <cstdint>

#include "multifold/ops/gathered_sum.hpp"
#include "plan/plan_forms.hpp"

namespace multifold::plan_tests {
namespace {

plan exact_plan(const batches& form, const plan_options& forced = {}, dtype type = dtype::f32) {
  return sum_plan(form, forced, h200_traits(), type, accuracy::exact);
}

TEST(exact_plan, long_rows_of_exact_sums_have_a_kernel_of_their_own) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    const plan p = exact_plan(form_of({std::int64_t{1} << 32}, {0}), {}, type);
    const bool meet = type == dtype::f64;  // in words that all parts add to
    ASSERT_EQ(p.passes.size(), meet ? 1u : 2u);
    EXPECT_EQ(p.passes[0].kind, kernel::exact_rows);
    EXPECT_EQ(p.passes[0].parts, 132 * 2);
    EXPECT_EQ(p.passes[0].how, meet ? finish::atomic : finish::next_pass);
  }
  EXPECT_EQ(exact_plan(form_of({4, std::int64_t{1} << 28}, {1})).passes[0].parts, 66);
  EXPECT_EQ(exact_plan(form_of({1 << 19}, {0})).passes[0].threads, 256);
}

TEST(exact_plan, of_no_rows_has_nothing_to_do_however_long_they_were) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (std::int64_t length = 1; length <= std::int64_t{1} << 40; length *= 4) {
      const plan p = exact_plan(form_of({0, length}, {1}), {}, type);
      EXPECT_EQ(p.form.results(), 0);
      EXPECT_GE(p.workspace_bytes(), 0);
      EXPECT_EQ(exact_plan(form_of({length, 0}, {0}), {}, type).form.results(), 0);
    }
  }
}

TEST(exact_plan, long_rows_are_cut_into_many_tiles_a_part) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32}) {
    const std::int64_t item = item_bytes(type);
    for (std::int64_t bytes : {std::int64_t{40} << 20, std::int64_t{64} << 20, std::int64_t{300} << 20,
                               std::int64_t{1} << 30, std::int64_t{16} << 30, std::int64_t{100} << 30}) {
      const pass p = exact_plan(form_of({bytes / item}, {0}), {}, type).passes[0];
      ASSERT_EQ(p.kind, kernel::exact_rows);
      const std::int64_t vectors = p.tile * item / 16 / p.threads;
      EXPECT_TRUE(vectors >= 4 && vectors <= 32 && (vectors & (vectors - 1)) == 0) << vectors;
      EXPECT_TRUE(vectors == 4 || p.length / p.tile >= 16 * p.parts) << bytes;
      EXPECT_TRUE(vectors == 32 || p.length / p.tile < 33 * 264) << bytes;
    }
  }
}

TEST(exact_plan, exact_sums_that_one_wave_reads_take_a_kernel_or_two) {
  const auto first = [](const batches& form, dtype type) { return exact_plan(form, {}, type).passes[0]; };
  for (const dtype type : {dtype::bf16, dtype::f32, dtype::f64}) {
    const std::int64_t item = item_bytes(type);
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{1000}, (32 << 10) / item}) {
      const plan p = exact_plan(form_of({length}, {0}), {}, type);
      EXPECT_EQ(p.passes[0].kind, kernel::exact_blocks);
      EXPECT_EQ(p.passes[0].parts, 1);
      EXPECT_EQ(p.workspace_bytes(), 256);
    }
    const plan several = exact_plan(form_of({(256 << 10) / item}, {0}), {}, type);
    ASSERT_EQ(several.passes.size(), 2u);
    EXPECT_EQ(several.passes[0].kind, kernel::exact_blocks);
    EXPECT_EQ(several.passes[0].parts, 32);
    EXPECT_EQ(several.passes[0].threads, 256);
    EXPECT_EQ(several.passes[0].how, finish::next_pass);
    EXPECT_EQ(several.passes[1].threads, 256);
    // The status word; 32 bytes a part; and what each of them may have lost.
    const std::int64_t words = type == dtype::f64   ? exact_sum_words<double>
                               : type == dtype::f32 ? exact_sum_words<float>
                                                    : exact_sum_words<bf16>;
    EXPECT_EQ(several.workspace_bytes(), 256 + 32 * 32 + 32 * 8 * words);
    const pass rows = first(form_of({100, (256 << 10) / item}, {1}), type);
    EXPECT_EQ(rows.kind, kernel::exact_blocks);
    EXPECT_EQ(rows.parts, 5);  // 500 blocks of 264 at once; two parts would be 200 of them
    EXPECT_EQ(rows.threads, 256);
    // As far as they go: what one block reads, and what one wave does.
    const std::int64_t alone = (type == dtype::bf16 ? 32 << 10 : 64 << 10) / item;
    EXPECT_EQ(first(form_of({alone}, {0}), type).parts, 1);
    EXPECT_GT(first(form_of({alone + 1}, {0}), type).parts, 1);
    const std::int64_t most = (32 << 20) / item;
    EXPECT_EQ(first(form_of({most}, {0}), type).kind, kernel::exact_blocks);
    EXPECT_EQ(first(form_of({most + 1}, {0}), type).kind, kernel::exact_rows);
    const kernel others = type == dtype::f64 ? kernel::tiles : kernel::exact_rows;
    EXPECT_EQ(first(form_of({265, (256 << 10) / item}, {1}), type).kind, others);
    // And not where there is more of them than that.
    EXPECT_EQ(first(form_of({8, (16 << 20) / item}, {1}), type).kind, kernel::exact_blocks);
    EXPECT_EQ(first(form_of({9, (16 << 20) / item}, {1}), type).kind, kernel::exact_rows);
  }
  EXPECT_EQ(first(form_of({1000}, {0}), dtype::f16).kind, kernel::block_rows);
}

TEST(exact_plan, exact_sums_that_one_wave_reads_can_be_ended_by_the_last_block) {
  plan_options last;
  last.how = finish::last_block;
  const plan p = exact_plan(form_of({4 << 20}, {0}), last, dtype::bf16);
  ASSERT_EQ(p.passes.size(), 1u);
  EXPECT_EQ(p.passes[0].kind, kernel::exact_blocks);
  EXPECT_EQ(p.passes[0].parts, 256);  // a thread of that block for each
  EXPECT_GT(exact_plan(form_of({2 << 20}, {0})).passes[0].parts, 256);
}

TEST(exact_plan, other_exact_sums_take_the_kernels_that_rounded_ones_take) {
  EXPECT_EQ(exact_plan(form_of({1 << 20, 32}, {1})).passes[0].kind, kernel::tiles);
  EXPECT_EQ(exact_plan(form_of({1 << 20, 1024}, {0})).passes[0].kind, kernel::tiles);
  // Batches of narrow elements that lie in a tile are certain. Of others, what is lost is added again: a bit a batch,
  // and the sums of long ones.
  EXPECT_EQ(exact_plan(form_of({1 << 20, 32}, {1})).workspace_bytes(), 256);
  EXPECT_EQ(exact_plan(form_of({1 << 20, 32}, {1}, dtype::f64), {}, dtype::f64).workspace_bytes(), 256 + (1 << 20) / 8);
  const plan columns = exact_plan(form_of({1 << 20, 1024}, {0}));
  EXPECT_EQ(columns.workspace_bytes(),
            256 + 256 + 1024 * 8 * 16 + 1024 * 4 + 1024 * columns.passes[0].parts * columns.accumulator_bytes);
  // Finishes that hand on partial results hand on pairs.
  plan_options last;
  last.how = finish::last_block;
  const plan p = exact_plan(form_of({std::int64_t{1} << 32}, {0}), last);
  EXPECT_EQ(p.passes[0].kind, kernel::block_rows);
  EXPECT_EQ(p.accumulator_bytes, 16);
}

}  // namespace
}  // namespace multifold::plan_tests
