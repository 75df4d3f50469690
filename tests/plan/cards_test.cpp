// What plans make of cards that are no H200: the thresholds that go with the memory's rate, and blocks that an
// SM holds fewer of.
#include <gtest/gtest.h>

#include "plan/plan_forms.hpp"
#include "plan/tuning.hpp"

namespace multifold::plan_tests {
namespace {

namespace tuning = detail::tuning;

engine_traits with_rate(double bytes_a_second) {
  engine_traits t = h200_traits();
  t.memory_rate = bytes_a_second;
  return t;
}

// A GeForce card of 1536 threads and 100 KiB an SM.
engine_traits small_card() {
  engine_traits t = tuning::traits_of_gpu(128, 1536);
  t.name = "small";
  t.block_shared_bytes = 99 << 10;
  t.unit_shared_bytes = 100 << 10;
  t.unit_blocks = 16;
  t.memory_rate = 1e12;
  return t;
}

TEST(cards, thresholds_that_stand_for_a_time_go_with_the_memory) {
  const auto bytes = [](double rate) { return tuning::timed_bytes(1 << 20, with_rate(rate)); };
  EXPECT_EQ(bytes(4.8e12), 1 << 20);
  EXPECT_EQ(bytes(4.9e12), 1 << 20);
  EXPECT_EQ(bytes(3.35e12), 1 << 20);  // an H100
  EXPECT_EQ(bytes(0), 1 << 20);        // one that does not tell
  EXPECT_EQ(bytes(2.04e12), 1 << 19);  // an A100
  EXPECT_EQ(bytes(1e12), 1 << 18);
  EXPECT_EQ(bytes(9.7e12), 1 << 21);
  EXPECT_GT(bytes(1), 0);
}

TEST(cards, an_h200_is_what_its_driver_says) {
  const engine_traits t = h200_traits();
  EXPECT_EQ(t.blocks_per_unit, 4);
  EXPECT_EQ(t.unit_threads, 2048);
  EXPECT_EQ(t.unit_blocks, 32);
}

TEST(cards, blocks_are_as_many_as_an_SM_holds) {
  const engine_traits small = small_card();
  EXPECT_EQ(small.blocks_per_unit, 3);
  const auto exact = [](dtype type, const engine_traits& card) {
    return sum_plan(form_of({1 << 28}, {0}, type), {}, card, type, accuracy::exact).passes[0];
  };
  EXPECT_EQ(exact(dtype::f32, h200_traits()).blocks, 132 * 2);
  EXPECT_EQ(exact(dtype::f32, small).kind, kernel::exact_rows);
  EXPECT_EQ(exact(dtype::f32, small).blocks, 128);  // bins of 512 threads fit once
  const batches columns = form_of({33, 5, 1 << 20}, {0, 1}, dtype::i32);
  const plan p = make_plan(make_reduction(op_kind::var, dtype::i32), columns, {.threads = 256}, small);
  EXPECT_EQ(p.passes[0].kind, kernel::moment_groups);
  EXPECT_EQ(p.passes[0].blocks, 128 * 6);
  const plan wide = make_plan(make_reduction(op_kind::var, dtype::f32), columns, {.threads = 32}, small);
  EXPECT_LE(wide.passes[0].blocks, 128 * 16);
}

}  // namespace
}  // namespace multifold::plan_tests
