// Errors of one result among many say which: the first in the order of results in memory, wherever its array lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;

std::string error_of(op_kind op, const array_view& view, std::vector<std::int64_t> axes, bool from_source,
                     std::int64_t memory = 0) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.axes = std::move(axes);
  options.nan = nan_policy::omit;
  options.threads = 3;
  if (memory > 0) options.memory_bytes = memory;
  try {
    if (!from_source) {
      reduce(op, view, options);
    } else {
      const auto* const bytes = static_cast<const std::byte*>(view.data);
      const std::int64_t item = item_bytes(view.type), count = element_count(view.extents);
      const chunk_callback next = [=](std::int64_t first, std::span<std::byte> chunk) {
        const std::int64_t some = std::min(count - first, static_cast<std::int64_t>(chunk.size()) / item);
        std::memcpy(chunk.data(), bytes + first * item, static_cast<std::size_t>(some * item));
        return some;
      };
      const auto input = make_source("callback", {view.type, view.extents}, next);
      reduce(op, *input, options);
    }
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

std::string place(std::int64_t result) { return "(result " + std::to_string(result) + ", counted from 0)"; }

TEST(places_of_errors, are_those_of_the_first_result_that_does_not_fit) {
  constexpr std::int64_t rows = 70, columns = 5000;
  test::random_bits random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> x(rows * columns, 1);
    std::int64_t first_row = rows, first_column = columns;
    for (int i = 0; i < 3; ++i) {
      const auto row = static_cast<std::int64_t>(random() % rows),
                 column = static_cast<std::int64_t>(random() % columns);
      x[static_cast<std::size_t>(row * columns + column)] = INT64_MAX;
      first_row = std::min(first_row, row);
      first_column = std::min(first_column, column);
    }
    const array_view view = make_view(x.data(), dtype::i64, {rows, columns});
    array_view turned = make_view(x.data(), dtype::i64, {columns, rows});
    turned.strides = {1, columns};
    for (const op_kind op : {op_kind::sum, op_kind::sumsq, op_kind::norm1}) {
      for (const std::int64_t memory : {0, 1 << 20}) {
        EXPECT_NE(error_of(op, view, {1}, true, memory).find(place(first_row)), std::string::npos) << name(op);
        EXPECT_NE(error_of(op, view, {0}, true, memory).find(place(first_column)), std::string::npos) << name(op);
      }
      EXPECT_NE(error_of(op, view, {1}, false).find(place(first_row)), std::string::npos) << name(op);
      EXPECT_NE(error_of(op, view, {0}, false).find(place(first_column)), std::string::npos) << name(op);
      EXPECT_NE(error_of(op, turned, {0}, false).find(place(first_row)), std::string::npos) << name(op);
      EXPECT_NE(error_of(op, turned, {1}, false).find(place(first_column)), std::string::npos) << name(op);
      EXPECT_EQ(error_of(op, view, {0, 1}, false).find("(result"), std::string::npos) << "one result needs no number";
    }
  }
}

TEST(places_of_errors, are_those_of_the_first_result_that_has_no_value) {
  std::vector<float> x(40 * 30, 1.0f);
  for (int row = 0; row < 40; ++row)
    x[static_cast<std::size_t>(row * 30 + 7)] = std::numeric_limits<float>::quiet_NaN();
  const array_view view = make_view(x.data(), dtype::f32, {40, 30});
  EXPECT_NE(error_of(op_kind::argmin, view, {0}, false).find(place(7)), std::string::npos);
  EXPECT_NE(error_of(op_kind::argmin, view, {0}, true).find(place(7)), std::string::npos);
}

}  // namespace
