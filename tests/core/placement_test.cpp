// Which results wait, and whether the tiles in which they are put in place take every one of them where it belongs.
#include "multifold/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using list = std::vector<std::int64_t>;

// Results of `extents` whose batches are numbered along memory, where the axes stand in `order`, slowest first.
batches permuted(const list& extents, const list& order) {
  const list strides = c_strides(extents);
  batches form;
  for (const std::int64_t axis : order) {
    const auto i = static_cast<std::size_t>(axis);
    form.outer *= extents[i];
    if (extents[i] > 1) form.kept.push_back({extents[i], 0, strides[i], false});
  }
  return form;
}

std::int64_t offset_in(const placed_axis& axis, const std::int64_t* stride, std::int64_t index) {
  std::int64_t offset = 0;
  for (int i = axis.count; i-- > 0; index /= axis.extent[i]) offset += index % axis.extent[i] * stride[i];
  return offset;
}

std::int64_t extent_of(const placed_axis& axis) {
  return std::accumulate(axis.extent, axis.extent + axis.count, std::int64_t{1}, std::multiplies<>());
}

// Where the kernel puts every result, batch by batch.
list places_of(const placement& p, std::int64_t results) {
  list place(static_cast<std::size_t>(results), -1);
  for (std::int64_t tile = 0; tile < p.tiles; ++tile) {
    const std::int64_t band = tile / p.row_tiles, outer = band / p.column_tiles;
    const std::int64_t first_row = tile % p.row_tiles * p.tile_rows;
    const std::int64_t first_column = band % p.column_tiles * p.tile_columns;
    const std::int64_t rows = std::min<std::int64_t>(p.tile_rows, p.row_count - first_row);
    const std::int64_t columns = std::min<std::int64_t>(p.tile_columns, p.column_count - first_column);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t batch = offset_in(p.outer, p.outer.batch_stride, outer) + first_column * p.run_length +
                                 offset_in(p.rows, p.rows.batch_stride, first_row + row);
      for (std::int64_t i = 0; i < columns * p.run_length; ++i) {
        const std::int64_t column = i / p.run_length, in_line = row * p.run_length + i % p.run_length;
        EXPECT_EQ(place[static_cast<std::size_t>(batch + i)], -1) << "taken twice";
        place[static_cast<std::size_t>(batch + i)] =
            offset_in(p.outer, p.outer.place_stride, outer) + first_row * p.run_length * p.place_step +
            offset_in(p.columns, p.columns.place_stride, first_column + column) + in_line * p.place_step;
      }
    }
  }
  return place;
}

void expect_sound(const batches& form, std::int64_t item) {
  const placement p = placement_of(form, item);
  const std::int64_t results = form.results();
  EXPECT_EQ(p.column_count, extent_of(p.columns));
  EXPECT_EQ(p.row_count, extent_of(p.rows));
  EXPECT_EQ(p.run_length * p.column_count * p.row_count * extent_of(p.outer), results);
  EXPECT_LE(p.tile_rows * p.pitch, placing_tile_bytes);
  EXPECT_LE(p.tile_columns * p.run_length * item, p.pitch);
  EXPECT_LE(std::max(p.tile_rows, p.tile_columns), most_placed_lines);
  EXPECT_EQ(p.pitch % (item % 8 == 0 ? 8 : 4), 0);
  EXPECT_GE(p.blocks(), 1);
  const list place = places_of(p, results);
  for (std::int64_t batch = 0; batch < results; ++batch) {
    ASSERT_EQ(place[static_cast<std::size_t>(batch)], form.result_of(batch)) << "batch " << batch;
  }
}

TEST(placement, takes_every_result_where_it_belongs) {
  test::random_bits random(3);
  constexpr std::int64_t extents[] = {1, 2, 3, 5, 7, 12, 31, 33, 64, 65, 127, 200, 700, 1500};
  for (int turn = 0; turn < 300 && !::testing::Test::HasFailure(); ++turn) {
    list shape(1 + random() % 6), order(shape.size());
    std::int64_t results = 1;
    for (std::int64_t& extent : shape) {
      extent = extents[random() % std::size(extents)];
      if (results * extent > 30'000) extent = 2;
      results *= extent;
    }
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::int64_t item : {1, 2, 3, 4, 8, 12, 104}) {
      SCOPED_TRACE(to_string(shape) + " in memory " + to_string(order) + ", item " + std::to_string(item));
      ASSERT_NO_FATAL_FAILURE(expect_sound(permuted(shape, order), item));
    }
  }
}

TEST(placement, of_a_transpose_is_in_squares) {
  const placement bytes = placement_of(permuted({4000, 5000}, {1, 0}), 1);
  EXPECT_EQ(bytes.tile_columns, 128);
  EXPECT_EQ(bytes.tile_rows, 128);
  EXPECT_EQ(bytes.tiles, 32 * 40);
  const placement words = placement_of(permuted({4000, 5000}, {1, 0}), 4);
  EXPECT_EQ(words.tile_columns, 64);
  EXPECT_EQ(words.tile_rows, 64);
}

// Channels, say, which are too few for a line of their own.
TEST(placement, of_few_columns_has_more_rows) {
  const placement p = placement_of(permuted({3, 100'000}, {1, 0}), 1);
  EXPECT_EQ(p.tile_columns, 3);
  EXPECT_EQ(p.tile_rows, most_placed_lines);
  const placement several = placement_of(permuted({5, 7, 100'000}, {2, 1, 0}), 1);
  EXPECT_EQ(several.column_count, 35);
}

TEST(placement, moves_runs_that_both_orders_have_as_they_are) {
  const placement p = placement_of(permuted({300, 400, 3}, {1, 0, 2}), 1);
  EXPECT_EQ(p.run_length, 3);
  EXPECT_EQ(p.column_count, 300);
  EXPECT_EQ(p.row_count, 400);
  EXPECT_EQ(placement_of(permuted({300, 400, 65}, {1, 0, 2}), 1).run_length, 1);
}

TEST(placement, of_places_past_64_bits_of_bytes_is_known) {
  const std::int64_t huge = std::int64_t{1} << 31;
  const placement p = placement_of(permuted({huge, huge}, {1, 0}), 8);
  EXPECT_EQ(p.tiles, huge / 64 * (huge / 32));
  EXPECT_EQ(p.blocks(), 1 << 20);
}

TEST(placement, takes_as_many_runs_as_kernels) {
  list extents(9, 2), order(9);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  EXPECT_THROW(placement_of(permuted(extents, order), 1), unsupported_error);
  EXPECT_THROW(placement_of(permuted({300, 300}, {1, 0}), 1 << 15), unsupported_error);
}

TEST(scatters_results, where_neighbours_are_far_apart) {
  EXPECT_TRUE(scatters_results(permuted({1310, 436, 635}, {2, 0, 1}), 1));
  EXPECT_TRUE(scatters_results(permuted({9224, 465, 28}, {1, 2, 0}), 4));
  EXPECT_TRUE(scatters_results(permuted({168, 306, 2440}, {0, 2, 1}), 4));
  EXPECT_TRUE(scatters_results(permuted({3000, 3000}, {1, 0}), 8));
  EXPECT_TRUE(scatters_results(permuted({300, 400, 3}, {1, 0, 2}), 1));
}

TEST(scatters_results, nowhere_else) {
  // In order, whatever the number of axes.
  EXPECT_FALSE(scatters_results(permuted({1000, 1000}, {0, 1}), 1));
  EXPECT_FALSE(scatters_results(permuted({10'000'000}, {0}), 1));
  // Runs of several sectors.
  EXPECT_FALSE(scatters_results(permuted({300, 400, 32}, {1, 0, 2}), 1));
  EXPECT_FALSE(scatters_results(permuted({300, 400, 8}, {1, 0, 2}), 8));
  // Neighbours that are not far apart.
  EXPECT_FALSE(scatters_results(permuted({3, 1'000'000}, {1, 0}), 4));
  EXPECT_FALSE(scatters_results(permuted({1'000'000, 3, 4}, {0, 2, 1}), 1));
  // Summaries, each of which is some sectors.
  EXPECT_FALSE(scatters_results(permuted({3000, 3000}, {1, 0}), 104));
  // What is written before another kernel could be started.
  EXPECT_FALSE(scatters_results(permuted({300, 300}, {1, 0}), 1));
}

}  // namespace
}  // namespace multifold
