// What is chosen for shapes that matter, what can be forced, what is refused, and plans over more than memory holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "plan/plan_forms.hpp"

namespace multifold::plan_tests {
namespace {

batches strided_form(const list& extents, const list& strides, const list& axes, dtype type) {
  array_view view;
  view.type = type;
  view.extents = extents;
  view.strides = strides;
  return normalise(view, axes, element_order::any);
}

TEST(make_plan, the_full_sum_fills_one_wave_and_a_second_kernel_ends_it) {
  const plan p = sum_plan(form_of({std::int64_t{1} << 32}, {0}));
  ASSERT_EQ(p.passes.size(), 2u);
  EXPECT_EQ(p.passes[0].kind, kernel::block_rows);
  EXPECT_EQ(p.passes[0].parts, 132 * 4);
  EXPECT_EQ(p.passes[0].how, finish::next_pass);
  EXPECT_EQ(p.passes[0].part_length % 32, 0);  // whole cache lines
  EXPECT_EQ(p.passes[1].kind, kernel::partials);
  EXPECT_EQ(p.passes[1].blocks, 1);
}

TEST(make_plan, one_pass_on_a_device_ends_in_its_own_kernel) {
  plan_options one;
  one.passes = 1;
  const plan p = sum_plan(form_of({std::int64_t{1} << 32}, {0}), one);
  ASSERT_EQ(p.passes.size(), 1u);
  EXPECT_EQ(p.passes[0].parts, 132 * 4);
  EXPECT_EQ(p.passes[0].how, finish::last_block);
}

TEST(make_plan, arrays_that_are_read_at_once_have_a_part_for_every_SM) {
  const auto parts_of = [](std::int64_t kib) { return sum_plan(form_of({kib << 8}, {0})).passes[0].parts; };
  EXPECT_EQ(parts_of(64), 1);
  EXPECT_EQ(parts_of(128), 16);  // a vector for each thread, at least
  EXPECT_EQ(parts_of(1024), 128);
  EXPECT_EQ(parts_of(4096), 128);
  EXPECT_EQ(parts_of(8192), 256);  // four of them, at most
  EXPECT_EQ(sum_plan(form_of({8, 1 << 18}, {1})).passes[0].parts, 32);
}

TEST(make_plan, rows_alone_are_read_by_resident_blocks_up_to_512_MiB) {
  const auto parts_of = [](std::int64_t mib) { return sum_plan(form_of({mib << 18}, {0})).passes[0].parts; };
  EXPECT_EQ(parts_of(16), 256);
  EXPECT_EQ(parts_of(64), 132 * 2);
  EXPECT_EQ(parts_of(512), 132 * 2);
  EXPECT_EQ(parts_of(513), 132 * 4);
}

TEST(make_plan, blocks_that_read_a_row_alone_have_a_thread_for_every_vector) {
  const auto threads_of = [](std::int64_t n) { return sum_plan(form_of({n}, {0})).passes[0].threads; };
  EXPECT_EQ(threads_of(0), 32);
  EXPECT_EQ(threads_of(128), 32);
  EXPECT_EQ(threads_of(1000), 256);
  EXPECT_EQ(threads_of(16384), 512);
  plan_options forced;
  forced.threads = 96;
  EXPECT_EQ(sum_plan(form_of({1000}, {0}), forced).passes[0].threads, 96);
}

TEST(make_plan, a_few_huge_batches_are_cut_into_one_wave) {
  const plan p = sum_plan(form_of({4, std::int64_t{1} << 28}, {1}));
  EXPECT_EQ(p.passes[0].kind, kernel::block_rows);
  EXPECT_EQ(p.passes[0].batches, 4);
  EXPECT_EQ(p.passes[0].parts, 132);
}

TEST(make_plan, many_long_rows_get_a_block_each) {
  const plan p = sum_plan(form_of({2048, 262144}, {1}));
  ASSERT_EQ(p.passes.size(), 1u);
  EXPECT_EQ(p.passes[0].kind, kernel::block_rows);
  EXPECT_EQ(p.passes[0].parts, 1);
  EXPECT_EQ(p.passes[0].blocks, 2048);
  EXPECT_EQ(p.workspace_bytes(), 256);
}

// Results of 1 to 8 bytes whose order is not that of memory; a GPU that writes them one by one is slow.
TEST(make_plan, many_results_that_would_be_scattered_wait) {
  const auto waiting = [](op_kind op, dtype type, const list& extents, const list& strides, const list& axes,
                          const engine_traits& engine = h200_traits()) {
    array_view view = make_view(nullptr, type, extents);
    view.strides = strides;
    return make_plan(make_reduction(op, type), normalise(view, axes, order_of(op)), {}, engine).waiting_bytes;
  };
  EXPECT_EQ(waiting(op_kind::max, dtype::f32, {4, 9224, 465, 28}, {9224 * 465 * 28, 1, 9224 * 28, 9224}, {0}), 4);
  EXPECT_EQ(waiting(op_kind::min, dtype::i8, {2395, 15, 22285}, {15, 1, 2395 * 15}, {1}), 1);
  EXPECT_EQ(waiting(op_kind::argmin, dtype::i8, {2395, 15, 22285}, {15, 1, 2395 * 15}, {1}), 8);
  EXPECT_EQ(waiting(op_kind::std, dtype::f16, {2395, 15, 22285}, {15, 1, 2395 * 15}, {1}), 2);
  // Whole sectors, in memory's order, few of them, and those of the CPU.
  EXPECT_EQ(waiting(op_kind::describe, dtype::f16, {2395, 15, 22285}, {15, 1, 2395 * 15}, {1}), 0);
  EXPECT_EQ(waiting(op_kind::min, dtype::i8, {2395, 15, 22285}, {15 * 22285, 22285, 1}, {1}), 0);
  EXPECT_EQ(waiting(op_kind::min, dtype::i8, {200, 15, 200}, {15, 1, 200 * 15}, {1}), 0);
  EXPECT_EQ(waiting(op_kind::min, dtype::i8, {2395, 15, 22285}, {15, 1, 2395 * 15}, {1}, host_of(8)), 0);
}

TEST(make_plan, short_rows_share_a_tile) {
  const plan p = sum_plan(form_of({std::int64_t{1} << 26, 16}, {1}));
  ASSERT_EQ(p.passes.size(), 1u);
  EXPECT_EQ(p.passes[0].kind, kernel::tiles);
  EXPECT_EQ(p.passes[0].group, 1);
  EXPECT_EQ(p.passes[0].blocks, 132 * 3);
}

TEST(make_plan, columns_are_cut_along_their_length) {
  const plan few = sum_plan(form_of({std::int64_t{1} << 28, 8}, {0}));
  EXPECT_EQ(few.passes[0].kind, kernel::tiles);
  EXPECT_GE(few.passes[0].blocks, 132 * 2);
  EXPECT_LE(few.passes[0].blocks, 132 * 4 * 8);
  const plan many = sum_plan(form_of({100, 1 << 26}, {0}));
  EXPECT_EQ(many.passes[0].kind, kernel::tiles);
  EXPECT_EQ(many.passes[0].parts, 1);
}

TEST(make_plan, little_work_is_not_spread_thin) {
  for (const std::int64_t n : {1, 31, 1000, 16384}) EXPECT_EQ(sum_plan(form_of({n}, {0})).passes[0].parts, 1) << n;
  EXPECT_GT(sum_plan(form_of({1 << 20}, {0})).passes[0].parts, 16);
}

TEST(make_plan, host_bits_do_not_depend_on_the_number_of_threads) {
  for (const list& extents : {list{1 << 26, 1}, list{1 << 20, 64}, list{300, 70000}}) {
    for (const list& axes : {list{0}, list{1}, list{0, 1}}) {
      const plan one = sum_plan(form_of(extents, axes), {}, host_of(1));
      for (const int threads : {2, 7, 64}) {
        EXPECT_TRUE(same_passes(one, sum_plan(form_of(extents, axes), {}, host_of(threads))));
      }
    }
  }
}

TEST(make_plan, empty_shapes_have_plans_that_do_nothing) {
  for (const engine_traits& engine : {h200_traits(), host_of(4), tiny_device()}) {
    EXPECT_EQ(sum_plan(form_of({0}, {0}), {}, engine).passes.size(), 1u);
    EXPECT_EQ(sum_plan(form_of({5, 0}, {1}), {}, engine).passes[0].parts, 1);
    EXPECT_EQ(sum_plan(form_of({0, 5}, {1}), {}, engine).passes[0].blocks, 0);
  }
}

// Views that repeat one element or row: their plans must not overflow, whatever they multiply.
TEST(make_plan, survives_extents_up_to_2_to_the_62) {
  for (const dtype type : {dtype::i8, dtype::f64}) {
    for (const engine_traits& engine : {h200_traits(), host_of(1), host_of(64), tiny_device()}) {
      for (int bits = 40; bits <= 62; ++bits) {
        const std::int64_t huge = std::int64_t{1} << bits;
        sum_plan(strided_form({huge}, {0}, {0}, type), {}, engine, type);
        sum_plan(strided_form({huge}, {0}, {}, type), {}, engine, type);
        const std::int64_t rest = std::int64_t{1} << (62 - bits);
        for (const list& axes : {list{0}, list{1}, list{}}) {
          explain(sum_plan(strided_form({huge, rest}, {0, 1}, axes, type), {}, engine, type));
          explain(sum_plan(strided_form({rest, huge}, {1, 0}, axes, type), {}, engine, type));
        }
      }
    }
  }
}

TEST(make_plan, a_workspace_past_64_bits_is_all_there_could_be) {
  plan_options forced;
  forced.parts = std::int64_t{1} << 30;
  const plan p = sum_plan(strided_form({std::int64_t{1} << 32, std::int64_t{1} << 30}, {0, 1}, {1}, dtype::i8), forced,
                          h200_traits(), dtype::i8);
  EXPECT_EQ(p.workspace_bytes(), INT64_MAX);
  EXPECT_NE(explain(p).find("EiB"), std::string::npos);
}

TEST(make_plan, chains_of_forced_length_halve_at_least) {
  for (const engine_traits& engine : {h200_traits(), host_of(4), tiny_device()}) {
    for (const std::int64_t length : {2, 3, 5, 9, 31, 33, 1000, 1 << 20, (1 << 30) + 1}) {
      for (int passes = 1; passes <= 40; ++passes) {
        plan_options forced;
        forced.passes = passes;
        const bool possible = length >= std::int64_t{1} << (passes - 1);
        SCOPED_TRACE(std::to_string(passes) + " passes over " + std::to_string(length));
        if (possible) sum_plan(form_of({length}, {0}), forced, engine);
        else EXPECT_THROW(sum_plan(form_of({length}, {0}), forced, engine), unsupported_error);
      }
    }
  }
}

TEST(make_plan, chains_start_from_forced_parts) {
  for (std::int64_t parts = 1; parts <= 300; ++parts) {
    for (int passes = 2; passes <= 9; ++passes) {
      plan_options forced;
      forced.parts = parts;
      forced.passes = passes;
      SCOPED_TRACE(std::to_string(passes) + " passes from " + std::to_string(parts) + " parts");
      if (parts >= std::int64_t{1} << (passes - 1)) sum_plan(form_of({1 << 20}, {0}), forced);
      else EXPECT_THROW(sum_plan(form_of({1 << 20}, {0}), forced), unsupported_error);
    }
  }
}

TEST(make_plan, no_part_is_empty_or_longer_than_it_says) {
  for (std::int64_t length = 1; length < 40000; length = length * 5 / 4 + 1) {
    for (const std::int64_t parts : {1, 2, 3, 5, 7}) {
      plan_options forced;
      forced.parts = parts;
      if (parts * parts > length) continue;
      for (const engine_traits& engine : {tiny_device(), host_of(2)}) {
        const pass first = sum_plan(form_of({length}, {0}), forced, engine).passes.front();
        list elements(static_cast<std::size_t>(parts), 0);
        for (std::int64_t i = 0; i < length; ++i) ++elements[static_cast<std::size_t>(first.part_of(i))];
        EXPECT_GE(*std::min_element(elements.begin(), elements.end()), 1) << length;
        EXPECT_LE(*std::max_element(elements.begin(), elements.end()), first.part_length) << length;
        EXPECT_GT(*std::max_element(elements.begin(), elements.end()), first.part_length - first.tile) << length;
      }
    }
  }
}

TEST(make_plan, finishes_and_blocks_can_be_forced) {
  for (const finish how : {finish::next_pass, finish::last_block, finish::atomic}) {
    for (const block_form form : {block_form::shuffle, block_form::shared_tree}) {
      for (const int threads : {32, 128, 512}) {
        plan_options forced{std::nullopt, how, 100, threads, form};
        const plan p = sum_plan(form_of({1 << 20}, {0}, dtype::i32), forced, h200_traits(), dtype::i32);
        EXPECT_EQ(p.passes.size(), how == finish::next_pass ? 2u : 1u);
      }
    }
  }
}

// The message of the refusal; empty if there was none.
std::string refusal(const reduction& what, const batches& form, const plan_options& forced,
                    const engine_traits& engine = h200_traits()) {
  try {
    make_plan(what, form, forced, engine);
  } catch (const unsupported_error& e) {
    return e.what();
  }
  return "";
}

std::string sum_refusal(const plan_options& forced, const engine_traits& engine = h200_traits()) {
  return refusal(make_reduction(op_kind::sum, dtype::f32, nan_policy::propagate, accuracy::fast), form_of({1000}, {0}),
                 forced, engine);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(make_plan, exact_sums_refuse_atomics_where_they_gather_in_pairs) {
  plan_options atomic;
  atomic.how = finish::atomic;
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  EXPECT_TRUE(has(refusal(what, form_of({100000, 10}, {0}), atomic, h200_traits()), "use last block or next pass"));
}

TEST(make_plan, refusals_say_what_was_asked_and_what_can_be) {
  const auto with_threads = [](int threads) { return plan_options{{}, {}, {}, threads, {}}; };
  for (const int threads : {0, -32, 31, 33, 544, 1024}) {
    EXPECT_TRUE(has(sum_refusal(with_threads(threads)), "block size " + std::to_string(threads))) << threads;
  }
  const auto with_parts = [](std::int64_t parts) { return plan_options{{}, {}, parts, {}, {}}; };
  for (const std::int64_t parts : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1001}, INT64_MAX, INT64_MIN}) {
    EXPECT_TRUE(has(sum_refusal(with_parts(parts)), "1 to 1000")) << parts;
  }
  EXPECT_EQ(sum_refusal(with_parts(601)),
            "601 parts were asked for; a batch of 1000 elements makes 500 or 1000 parts of equal length");
  for (const int passes : {0, -1, 41}) {
    EXPECT_TRUE(has(sum_refusal({passes, {}, {}, {}, {}}), std::to_string(passes) + " passes"));
  }
  EXPECT_TRUE(has(sum_refusal({11, {}, {}, {}, {}}), "11 passes were asked for, but 1000 elements"));
  EXPECT_TRUE(has(sum_refusal({3, {}, 2, {}, {}}), "3 passes were asked for, but 2 parts"));
  EXPECT_TRUE(has(sum_refusal({2, finish::last_block, {}, {}, {}}), "finish last block takes one pass"));
  EXPECT_TRUE(has(sum_refusal({1, finish::next_pass, 4, {}, {}}), "1 pass cannot hand 4 parts"));
  EXPECT_TRUE(has(sum_refusal({1, {}, 4, {}, {}}, host_of(4)), "1 pass cannot hand 4 parts"));
  EXPECT_TRUE(has(sum_refusal({{}, finish::last_block, {}, {}, {}}, host_of(4)), "is for the device engine"));
  EXPECT_TRUE(has(sum_refusal({{}, finish::atomic, {}, {}, {}}), "finish atomic would make sum of f32 depend"));
  EXPECT_TRUE(has(sum_refusal({{}, {}, {}, 96, block_form::shared_tree}), "power of two as block size, not 96"));
  engine_traits odd = tiny_device();
  odd.threads = 96;
  EXPECT_TRUE(has(sum_refusal({{}, {}, {}, {}, block_form::shared_tree}, odd), "not 96"));
}

TEST(make_plan, real_values_are_not_planned_into_integers) {
  reduction what = make_reduction(op_kind::mean, dtype::i32);
  what.result = dtype::i32;
  EXPECT_TRUE(has(refusal(what, form_of({10}, {0}), {}), "expected a floating result dtype, not i32"));
}

TEST(make_plan, the_least_of_nothing_needs_an_initial_value) {
  for (const op_kind op : {op_kind::min, op_kind::max, op_kind::argmin, op_kind::argmax}) {
    reduction what = make_reduction(op, dtype::f32);
    EXPECT_THROW(make_plan(what, form_of({3, 0}, {1}), {}, h200_traits()), shape_error);
    EXPECT_NO_THROW(make_plan(what, form_of({0, 3}, {1}), {}, h200_traits()));  // no results at all
    what.initial.given = true;
    EXPECT_NO_THROW(make_plan(what, form_of({3, 0}, {1}), {}, h200_traits()));
  }
}

}  // namespace
}  // namespace multifold::plan_tests
