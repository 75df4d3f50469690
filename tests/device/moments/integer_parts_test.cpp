// Moments of integers that lanes and teams take: of every kind, of columns and of rows in one run or in several, wherever they
// begin.
#include <cstdint>
#include <vector>

#include "device/moments/parts.hpp"

namespace multifold::device_tests {
namespace {

constexpr dtype integers[] = {dtype::boolean, dtype::i8,  dtype::u8,  dtype::i16, dtype::u16,
                              dtype::i32,     dtype::u32, dtype::i64, dtype::u64};
constexpr op_kind ops[] = {op_kind::norm1, op_kind::norm2, op_kind::sumsq, op_kind::var,
                           op_kind::std,   op_kind::dot,   op_kind::cov,   op_kind::describe};

class integer_parts : public parts_on_device {
 protected:
  using list = std::vector<std::int64_t>;

  // Of any bits, where results are rounded; of few, whose totals fit.
  void expect_same(step_kind kind, op_kind op, dtype type, const list& extents, const list& axes,
                   const shifts& shift = {}) {
    const bool totals = op == op_kind::norm1 || op == op_kind::sumsq || op == op_kind::dot || op == op_kind::describe;
    for (const bool few : {true, false}) {
      if (totals && !few) continue;
      const auto elements = [&] {
        auto bytes = random_elements(type, element_count(extents), op_kind::max, rng);
        const auto item = static_cast<std::size_t>(item_bytes(type));
        for (std::size_t i = 0; few && i < bytes.size(); ++i) {
          if (i % item >= 2) bytes[i] = std::byte{0};
        }
        return bytes;
      };
      const auto x = elements(), y = elements();
      expect_parts(kind, make_reduction(op, type), make_view(x.data(), type, extents), axes, x, y, shift);
    }
  }
};

// Those that lanes take: others are quicker in tiles.
bool has_lanes(op_kind op, dtype type) { return item_bytes(type) * (takes_two_arrays(op) ? 2 : 1) >= 4; }

TEST_F(integer_parts, of_columns) {
  for (const dtype type : integers) {
    for (const op_kind op : ops) {
      if (!has_lanes(op, type)) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {3, 25, 300}, {1}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {40, 70, 33}, {1}, {1, 2}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {20001, 4}, {0}));
    }
  }
}

TEST_F(integer_parts, of_several_runs) {
  for (const dtype type : integers) {
    for (const op_kind op : ops) {
      if (!has_lanes(op, type)) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {6, 5, 70, 33}, {0, 2}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {40, 5, 90}, {0, 2}, {3, 0}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op, type, {3, 2, 9000}, {0, 2}));
    }
  }
}

TEST_F(integer_parts, of_rows) {
  for (const dtype type : integers) {
    const std::int64_t item = item_bytes(type);
    for (const op_kind op : ops) {
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_sums, op, type, {40, 6200 / item}, {1}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_sums, op, type, {5, 50001 / item}, {1}, {1, 1}));
      ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_sums, op, type, {1, 400003 / item}, {1}, {3, 2}));
    }
  }
}

class integer_parts_Sanitized : public integer_parts {};

TEST_F(integer_parts_Sanitized, of_few_shapes) {
  for (const dtype type : {dtype::i16, dtype::u32, dtype::i64}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op_kind::cov, type, {3, 25, 100}, {1}, {1, 2}));
  }
  for (const dtype type : {dtype::u32, dtype::i64}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op_kind::var, type, {6, 5, 70, 33}, {0, 2}));
    ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_lanes, op_kind::describe, type, {20, 301}, {0}));
  }
  for (const dtype type : {dtype::boolean, dtype::i16, dtype::u32, dtype::i64})
    ASSERT_NO_FATAL_FAILURE(expect_same(step_kind::part_sums, op_kind::dot, type, {3, 5001}, {1}, {1, 0}));
}

}  // namespace
}  // namespace multifold::device_tests
