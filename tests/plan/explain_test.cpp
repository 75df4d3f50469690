// A plan as people read it, word for word.
#include <gtest/gtest.h>

#include <cstdint>

#include "multifold/error.hpp"
#include "multifold/plan.hpp"
#include "plan/plan_rules.hpp"

namespace multifold::plan_tests {
namespace {

batches form_of(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& axes, dtype type) {
  return normalise(make_view(nullptr, type, extents), axes, element_order::any);
}

TEST(explain, the_full_sum_on_a_device) {
  const batches form = form_of({std::int64_t{1} << 32}, {0}, dtype::f32);
  const reduction fast = make_reduction(op_kind::sum, dtype::f32, nan_policy::propagate, accuracy::fast);
  EXPECT_EQ(explain(make_plan(fast, form, {}, h200_traits())),
            "sum of f32 to f32 on NVIDIA H200\n"
            "batches (outer 1, length 4294967296, inner 1), rows, 16 GiB in, 4 B out\n"
            "pass  kernel      reshape                                grid       block    finish     partials\n"
            "1     block_rows  (1, 4294967296) -> (1 x 528, 8134656)  528 x 512  shuffle  next pass  4.1 KiB\n"
            "2     partials    (1, 528) -> (1 x 1, 528)               1 x 512    shuffle  result     0 B\n"
            "pass 1 deals tiles of 8192 elements to its parts in turn\n"
            "workspace 4.5 KiB: status 4 B, partials 4.1 KiB\n");
}

TEST(explain, an_exact_sum_on_a_device) {
  const batches form = form_of({std::int64_t{1} << 32}, {0}, dtype::f32);
  EXPECT_EQ(explain(make_plan(make_reduction(op_kind::sum, dtype::f32), form, {}, h200_traits())),
            "sum of f32 to f32 on NVIDIA H200, exact\n"
            "batches (outer 1, length 4294967296, inner 1), rows, 16 GiB in, 4 B out\n"
            "pass  kernel     reshape                                 grid       block  finish     partials\n"
            "      clear      claims\n"
            "1     bin_rows   (1, 4294967296) -> (1 x 264, 16318464)  264 x 512  bins   next pass  33 KiB\n"
            "2     bin_parts  (1, 264) -> (1 x 1, 264)                1 x 512    limbs  result     0 B\n"
            "pass 1 deals tiles of 65536 elements to its parts in turn\n"
            "workspace 33.5 KiB: status 4 B, claims 4 B, sums 33 KiB\n");
}

TEST(explain, a_forced_chain_of_passes) {
  plan_options forced;
  forced.passes = 3;
  const batches form = form_of({4, 1 << 28}, {1}, dtype::i16);
  EXPECT_EQ(explain(make_plan(make_reduction(op_kind::max, dtype::i16), form, forced, h200_traits())),
            "max of i16 to i16 on NVIDIA H200\n"
            "batches (outer 4, length 268435456, inner 1), rows, 2 GiB in, 8 B out\n"
            "pass  kernel      reshape                               grid       block    finish     partials\n"
            "      clear       status\n"
            "1     block_rows  (4, 268435456) -> (4 x 132, 2048000)  528 x 512  shuffle  next pass  2.1 KiB\n"
            "2     partials    (4, 132) -> (4 x 11, 12)              44 x 512   shuffle  next pass  176 B\n"
            "3     partials    (4, 11) -> (4 x 1, 11)                4 x 512    shuffle  result     0 B\n"
            "pass 1 deals tiles of 16384 elements to its parts in turn\n"
            "workspace 2.8 KiB: status 4 B, partials 2.1 KiB, partials 176 B\n");
}

TEST(explain, results_that_wait) {
  array_view view = make_view(nullptr, dtype::boolean, {1310, 3, 436, 635});
  view.strides = {3 * 436, 436, 1, std::int64_t{1310} * 3 * 436};
  const batches form = normalise(view, {1}, element_order::any);
  const std::string text = explain(make_plan(make_reduction(op_kind::min, dtype::boolean), form, {}, h200_traits()));
  EXPECT_NE(text.find("      place_results  tiles of 128 x 128  "), std::string::npos) << text;
  EXPECT_NE(text.find("  22315 x 256\n"), std::string::npos) << text;
  EXPECT_NE(text.find("workspace 345.9 MiB: status 4 B, waiting results 345.9 MiB"), std::string::npos) << text;
}

TEST(explain, rows_of_a_warp_each) {
  const auto text_of = [](std::int64_t rows, std::int64_t length, op_kind op) {
    const reduction what = make_reduction(op, dtype::f32, nan_policy::propagate, accuracy::exact);
    return explain(make_plan(what, form_of({rows, length}, {1}, dtype::f32), {}, h200_traits()));
  };
  const std::string text = "pass 1 reads rows by warps\n";
  EXPECT_NE(text_of(1 << 20, 1024, op_kind::sum).find(text), std::string::npos);
  EXPECT_NE(text_of(1 << 16, 10'000, op_kind::mean).find(text), std::string::npos);
  // Too short, too few, and what reads tiles.
  EXPECT_EQ(text_of(1 << 20, 500, op_kind::sum).find(text), std::string::npos);
  EXPECT_EQ(text_of(1 << 13, 1024, op_kind::sum).find(text), std::string::npos);
  EXPECT_EQ(text_of(1 << 20, 1024, op_kind::max).find(text), std::string::npos);
}

TEST(explain, columns_on_the_host) {
  const batches form = form_of({1 << 20, 24}, {0}, dtype::u8);
  EXPECT_EQ(explain(make_plan(make_reduction(op_kind::mean, dtype::u8), form, {}, host_of(8))),
            "mean of u8 to f64 on 8 CPU threads\n"
            "batches (outer 1, length 1048576, inner 24), columns, 24 MiB in, 192 B out\n"
            "pass  kernel    reshape                            work       block     finish     partials\n"
            "1     columns   (24, 1048576) -> (24 x 6, 174763)  144 parts  in order  next pass  2.3 KiB\n"
            "2     partials  (24, 6) -> (24 x 1, 6)             24 parts   in order  result     0 B\n"
            "accumulators of 16 B, 384 B for all results\n");
}

TEST(explain, names_of_the_parts_of_a_plan) {
  EXPECT_EQ(name(finish::next_pass), "next pass");
  EXPECT_EQ(name(finish::last_block), "last block");
  EXPECT_EQ(name(finish::atomic), "atomic");
  EXPECT_EQ(name(block_form::shuffle), "shuffle");
  EXPECT_EQ(name(block_form::shared_tree), "shared tree");
  EXPECT_EQ(name(kernel::block_rows), "block rows");
  EXPECT_EQ(name(kernel::tiles), "tiles");
  EXPECT_EQ(name(kernel::columns), "columns");
  EXPECT_EQ(name(kernel::strided), "strided");
  EXPECT_EQ(name(kernel::partials), "partials");
}

TEST(explain, a_failed_store_becomes_an_error_with_advice) {
  const auto said = [](status s, const reduction& what) -> std::string {
    try {
      check_status(s, what);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  reduction what = make_reduction(op_kind::sum, dtype::i64);
  EXPECT_EQ(said(status::ok, what), "");
  EXPECT_EQ(said(status::overflow, what), "the sum of i64 does not fit i64: ask for another result dtype (f64, say)");
  what = make_reduction(op_kind::prod, dtype::i64);
  EXPECT_EQ(said(status::overflow, what), "the prod of i64 does not fit i64: ask for another result dtype (f64, say)");
  what = make_reduction(op_kind::argmin, dtype::f16);
  EXPECT_EQ(said(status::empty, what), "the argmin of f16 has no value: every element of a batch is NaN");
  try {
    check_status(status::overflow, make_reduction(op_kind::sum, dtype::u8), 17);
    FAIL();
  } catch (const overflow_error& e) {
    EXPECT_STREQ(e.what(),
                 "the sum of u8 (result 17, counted from 0) does not fit u64: ask for another result dtype "
                 "(f64, say)");
  }
  EXPECT_THROW(check_status(status::empty, what), shape_error);
  EXPECT_THROW(check_status(status::overflow, what), overflow_error);
}

}  // namespace
}  // namespace multifold::plan_tests
