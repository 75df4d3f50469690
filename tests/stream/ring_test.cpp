// Rings keep to the memory they are given, and end chunks where batches end.
#include "stream/ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t mebi = INT64_C(1) << 20;

struct problem {
  problem(op_kind op, dtype type, std::vector<std::int64_t> extents, std::vector<std::int64_t> axes)
      : what(make_reduction(op, type)),
        form(normalise(make_view(nullptr, type, std::move(extents)), axes, order_of(op))),
        array(slices_of(form)) {}

  ring with(std::int64_t memory, transfer how = transfer::staged, int threads = 4,
            std::int64_t most_chunk = INT64_MAX) const {
    const int arrays = takes_two_arrays(what.op) ? 2 : 1;
    return ring_of({array, what, form.elements(), arrays, memory, threads, how}, most_chunk);
  }

  reduction what;
  batches form;
  slices array;
};

const std::vector<problem> problems{
    {op_kind::sum, dtype::f32, {INT64_C(1) << 30}, {0}},
    {op_kind::sum, dtype::f32, {INT64_C(1) << 28, 16}, {1}},
    {op_kind::sum, dtype::f32, {16, INT64_C(1) << 28}, {0}},
    {op_kind::sum, dtype::i16, {100'003, 17}, {1}},
    {op_kind::describe, dtype::u8, {INT64_C(1) << 28, 1}, {1}},
    {op_kind::dot, dtype::f64, {8, 64, INT64_C(1) << 22}, {1}},
    {op_kind::max, dtype::i8, {1000, 1'000'003}, {1}},
};

std::int64_t pinned_bytes(const problem& p, const ring& r, int arrays, transfer how) {
  const std::int64_t results = status_bytes + r.room * result_bytes(p.what);
  const std::int64_t chunk = how == transfer::mapped ? 0 : arrays * r.chunk_bytes;
  return r.slots * (chunk + results) + (r.beside ? 2 * results : 0);
}

TEST(ring, keeps_to_its_memory) {
  for (const problem& p : problems) {
    const int arrays = takes_two_arrays(p.what.op) ? 2 : 1;
    for (transfer how : {transfer::staged, transfer::copy, transfer::mapped}) {
      for (std::int64_t memory : {2 * mebi, 5 * mebi, 33 * mebi, 256 * mebi, 4096 * mebi}) {
        const ring r = p.with(memory, how);
        EXPECT_LE(pinned_bytes(p, r, arrays, how), memory);
        EXPECT_GE(r.slots, 1);
        EXPECT_GE(r.step_results, 1);
        EXPECT_GE(r.room, r.step_results);
        EXPECT_GE(r.workers, 1);
        EXPECT_LE(r.workers, r.slots);
        EXPECT_EQ(r.chunk_elements % r.cut_elements, 0);
        EXPECT_LE(r.chunk_elements * item_bytes(p.what.input), r.chunk_bytes);
      }
    }
  }
}

TEST(ring, takes_large_chunks_where_there_is_memory) {
  const ring r = problems[0].with(256 * mebi);
  EXPECT_EQ(r.chunk_bytes, 4 * mebi);
  EXPECT_EQ(r.slots, 8);
  EXPECT_EQ(r.workers, 4);
  EXPECT_FALSE(r.beside);
  EXPECT_EQ(problems[0].with(256 * mebi, transfer::copy).chunk_bytes, 16 * mebi);
  EXPECT_EQ(problems[0].with(256 * mebi, transfer::copy).workers, 1);
  EXPECT_EQ(problems[0].with(2 * mebi).chunk_bytes, least_chunk_bytes);
}

TEST(ring, ends_chunks_where_batches_end) {
  for (std::size_t i : {std::size_t{1}, std::size_t{3}}) {
    const problem& p = problems[i];
    const ring r = p.with(256 * mebi);
    EXPECT_EQ(r.chunk_elements % p.array.elements, 0);
    EXPECT_EQ(r.chunk_elements * item_bytes(p.what.input) % 4096, 0);
    EXPECT_FALSE(r.beside);
  }
}

TEST(ring, sends_results_beside_the_slots_where_a_chunk_has_too_many) {
  for (std::size_t i : {std::size_t{2}, std::size_t{4}, std::size_t{5}}) {
    EXPECT_TRUE(problems[i].with(64 * mebi).beside);
  }
}

TEST(ring, small_arrays_have_few_small_slots) {
  const problem small(op_kind::sum, dtype::f32, {1000}, {0});
  EXPECT_EQ(small.with(256 * mebi).slots, 1);
  EXPECT_EQ(small.with(256 * mebi).chunk_bytes, least_chunk_bytes);
  const problem some(op_kind::sum, dtype::f32, {2 * mebi}, {0});
  EXPECT_EQ(some.with(256 * mebi).slots, 2);
  EXPECT_EQ(some.with(256 * mebi).chunk_bytes, 4 * mebi);
}

TEST(ring, shrinks_to_two_of_the_smallest) {
  ring r = problems[0].with(256 * mebi);
  while (can_shrink(r)) r = problems[0].with(256 * mebi, transfer::staged, 4, r.chunk_bytes / 2);
  EXPECT_EQ(r.chunk_bytes, least_chunk_bytes);
  EXPECT_GE(r.slots, 2);
}

TEST(ring, cuts_rounded_sums_at_the_same_places_whatever_the_memory) {
  for (const problem& p : problems) {
    EXPECT_EQ(p.with(256 * mebi).cut_elements, p.with(5 * mebi).cut_elements);
    EXPECT_EQ(p.with(256 * mebi).cut_elements, p.with(256 * mebi, transfer::mapped).cut_elements);
  }
}

TEST(ring, takes_rounded_sums_in_the_same_steps_whatever_the_memory) {
  problem rows(op_kind::prod, dtype::f32, {INT64_C(1) << 24, 2}, {1});
  EXPECT_FALSE(merges_in_any_order(rows.what));
  const ring large = rows.with(1024 * mebi), small = rows.with(mebi);
  EXPECT_GT(large.room, small.room);
  EXPECT_EQ(large.step_results, small.step_results);
  EXPECT_EQ(large.cut_elements, small.cut_elements);
}

TEST(ring, serves_streams_of_unknown_length) {
  const slices endless = endless_slice();
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const ring r = ring_of({endless, what, -1, 1, 256 * mebi, 2, transfer::staged});
  EXPECT_EQ(r.workers, 2);
  EXPECT_EQ(r.slots, 4);
  EXPECT_EQ(r.room, 1);
}

TEST(ring, refuses_too_little_memory) {
  EXPECT_THROW(problems[0].with(1000), out_of_memory);
  EXPECT_THROW(problems[5].with(mebi), out_of_memory);
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
