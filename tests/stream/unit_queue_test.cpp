// Units of an array that two engines share: each element once, whichever asks, and in smaller units towards the end.
#include "stream/unit_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "multifold/plan.hpp"
#include "stream/shared_array.hpp"

namespace multifold {
namespace {

using host::interval;
using stream::shared_by;
using stream::unit_queue;

std::vector<interval> drained(unit_queue& q, shared_by who, std::int64_t wanted) {
  std::vector<interval> units;
  for (interval u = q.claim(who, wanted); u.begin < u.end; u = q.claim(who, wanted)) units.push_back(u);
  return units;
}

void expect_whole(std::vector<interval> units, std::int64_t elements, std::int64_t grain) {
  std::sort(units.begin(), units.end(), [](const interval& a, const interval& b) { return a.begin < b.begin; });
  std::int64_t next = 0;
  for (const interval& u : units) {
    EXPECT_EQ(u.begin, next);
    EXPECT_EQ(u.begin % grain, 0);
    EXPECT_LT(u.begin, u.end);
    next = u.end;
  }
  EXPECT_EQ(next, elements);
}

TEST(unit_queue, hands_out_every_element_once) {
  for (const std::int64_t elements : {1, 9, 10, 11, 1000, 12'345}) {
    for (const std::int64_t grain : {1, 10, 77, 100'000}) {
      for (const std::int64_t wanted : {1, 64, 1'000'000}) {
        unit_queue q(elements, grain);
        EXPECT_FALSE(q.empty());
        expect_whole(drained(q, shared_by::host, wanted), elements, grain);
        EXPECT_TRUE(q.empty());
        EXPECT_EQ(q.taken(shared_by::host), elements);
        EXPECT_EQ(q.taken(shared_by::device), 0);
      }
    }
  }
  unit_queue none(0, 1);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(drained(none, shared_by::host, 5).empty());
}

TEST(unit_queue, units_shrink_towards_the_end) {
  unit_queue q(1'000'000, 10);
  const std::vector<interval> units = drained(q, shared_by::device, 10'000);
  std::int64_t last = units.front().end - units.front().begin;
  EXPECT_EQ(last, 10'000);
  for (const interval& u : units) {
    EXPECT_LE(u.end - u.begin, last);
    last = u.end - u.begin;
  }
  EXPECT_EQ(last, 10);
  EXPECT_LT(units.size(), 300u);
}

// Units are a share of what remains, and what comes back remains.
TEST(unit_queue, what_is_given_back_is_handed_out_in_units_as_long_as_before) {
  unit_queue q(8000, 1);
  const interval first = q.claim(shared_by::device, 8000);
  EXPECT_EQ(first.end - first.begin, 1000);
  while (!q.empty()) q.claim(shared_by::device, 8000);
  q.give_back(shared_by::device);
  const interval again = q.claim(shared_by::host, 8000);
  EXPECT_EQ(again.end - again.begin, 1000);
}

TEST(unit_queue, what_is_given_back_is_handed_out_again) {
  unit_queue q(1005, 10);
  std::vector<interval> kept;
  for (int i = 0; i < 12; ++i) {
    const interval u = q.claim(i % 3 == 0 ? shared_by::device : shared_by::host, 50);
    if (i % 3 != 0) kept.push_back(u);
  }
  const std::int64_t lost = q.taken(shared_by::device);
  EXPECT_GT(lost, 0);
  q.give_back(shared_by::device);
  EXPECT_EQ(q.taken(shared_by::device), 0);
  for (const interval& u : drained(q, shared_by::host, 1000)) kept.push_back(u);
  expect_whole(kept, 1005, 10);
  EXPECT_EQ(q.taken(shared_by::host), 1005);
  q.give_back(shared_by::device);
  EXPECT_TRUE(q.empty());
  q.give_back(shared_by::host);
  expect_whole(drained(q, shared_by::device, 7), 1005, 10);
}

TEST(unit_queue, serves_many_threads) {
  unit_queue q(3'000'007, 100);
  std::vector<std::vector<interval>> units(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < units.size(); ++i) {
      threads.emplace_back([&, i] { units[i] = drained(q, i % 2 == 0 ? shared_by::host : shared_by::device, 700); });
    }
  }
  std::vector<interval> all;
  for (const auto& each : units) all.insert(all.end(), each.begin(), each.end());
  expect_whole(all, 3'000'007, 100);
  EXPECT_EQ(q.taken(shared_by::host) + q.taken(shared_by::device), 3'000'007);
}

stream::shared_array shared(dtype type, const std::vector<std::int64_t>& extents,
                            const std::vector<std::int64_t>& axes) {
  const batches form = normalise(make_view(nullptr, type, extents), axes, element_order::any);
  return {make_reduction(op_kind::sum, type), form};
}

TEST(shared_array, stays_open_where_slices_are_few) {
  EXPECT_TRUE(shared(dtype::f32, {1 << 30}, {0}).open);
  EXPECT_TRUE(shared(dtype::f32, {1 << 15, 1 << 15}, {0}).open);
  EXPECT_TRUE(shared(dtype::f32, {4, 1 << 28}, {1}).open);
  EXPECT_FALSE(shared(dtype::f32, {1 << 10, 1 << 20}, {1}).open);
  EXPECT_FALSE(shared(dtype::f32, {1 << 20, 3}, {1}).open);
  EXPECT_FALSE(shared(dtype::f64, {4, 2, 1 << 24}, {1}).open) << "more accumulators than elements";
}

TEST(shared_array, units_are_whole_slices) {
  for (const std::int64_t length : {3, 16, 1000, 4097, 1 << 20, 3'000'001}) {
    stream::shared_array a = shared(dtype::f32, {2000, length}, {1});
    ASSERT_FALSE(a.open);
    EXPECT_EQ(a.least % length, 0);
    EXPECT_LE(4 * a.least, std::max<std::int64_t>(4 * length, 1 << 20));
    const std::vector<interval> units = drained(a.units, shared_by::device, stream::unit_elements(4));
    for (const interval& u : units) EXPECT_EQ(u.begin % length, 0);
    expect_whole(units, 2000 * length, a.least);
  }
}

}  // namespace
}  // namespace multifold
