// Segments of sources against the same segments of arrays: in little memory, from pipes, in either order of axes.
#include <gtest/gtest.h>

#include <string>

#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/segments/lists.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

using test::lengths, test::segment_list;

std::vector<float> random_floats(std::int64_t count, test::random_bits& random) {
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 20001) - 10000) / 7;
  return x;
}

struct order_case {
  std::vector<std::int64_t> extents;
  bool fortran;
  std::int64_t axis;
};

TEST(segment_sources, as_arrays) {
  test::random_bits random(5);
  const std::vector<order_case> cases{{{200'000}, false, 0},     {{20'000, 5, 3}, false, 0}, {{1, 50'000, 4}, false, 1},
                                      {{3, 5, 20'000}, true, 2}, {{7, 600}, false, 1},       {{600, 7}, true, 0},
                                      {{4, 60'000}, true, 1}};
  for (const order_case& c : cases) {
    const std::vector<float> x = random_floats(element_count(c.extents), random);
    const std::vector<float> y = random_floats(element_count(c.extents), random);
    array_view view = make_view(x.data(), c.extents), other = make_view(y.data(), c.extents);
    if (c.fortran) view.strides = other.strides = fortran_strides(c.extents);
    const std::int64_t extent = c.extents[static_cast<std::size_t>(c.axis)];
    for (const std::int64_t memory : {1 << 22, 300'000}) {
      for (const bool pipe : {false, true}) {
        segment_list list = test::adjacent_segments(extent, 50, static_cast<lengths>(random() % 3), random);
        if (!pipe && random() % 2 == 0) list = test::scattered_segments(extent, 30, extent / 3, random);
        const segments of = list.list(dtype::i64);
        reduce_options options;
        options.axes = {c.axis};
        options.threads = 1;  // each takes a buffer
        const std::string what = to_string(c.extents) + " axis " + std::to_string(c.axis) + " memory " +
                                 std::to_string(memory) + (pipe ? " pipe" : "");
        for (const op_kind op : {op_kind::mean, op_kind::describe}) {
          options.memory_bytes = 0;
          const std::vector<std::byte> expected = reduce(op, view, of, options).data;
          options.memory_bytes = memory;
          vector_source<float> source(x, c.extents, "x", c.fortran, pipe);
          EXPECT_TRUE(reduce(op, source, of, options).data == expected) << name(op) << what;
        }
        const std::vector<std::byte> expected = reduce(op_kind::dot, view, other, of, options).data;
        vector_source<float> first(x, c.extents, "x", c.fortran, pipe), second(y, c.extents, "y", c.fortran, pipe);
        EXPECT_TRUE(reduce(op_kind::dot, first, second, of, options).data == expected) << what;
      }
    }
  }
}

TEST(segment_sources, are_told_of) {
  const std::vector<std::int64_t> offsets{10, 20, 20, 90'000};
  const segments of = segments::from_offsets(make_view(offsets.data(), {4}));
  vector_source<float> ones(std::vector<float>(100'000, 1.0f), {100'000});
  std::int64_t told = 0;
  reduce_options options;
  options.memory_bytes = 300'000;
  options.progress = [&](std::int64_t bytes) { told = bytes; };
  const reduce_result r = reduce(op_kind::sum, ones, of, options);
  EXPECT_EQ(r.count, 89'990);
  EXPECT_EQ(r.bytes, told);
  EXPECT_EQ(told, 4 * 89'990);
  EXPECT_EQ(r.engine, "host");
}

TEST(segment_sources, overflow_names_the_result) {
  const std::int64_t most = INT64_MAX;
  vector_source<std::int64_t> source({1, 2, 3, 4, most, most, 5, 6}, {8});
  const std::vector<std::int64_t> offsets{0, 2, 4, 6, 8};
  reduce_options options;
  options.memory_bytes = 16;
  try {
    reduce(op_kind::sum, source, segments::from_offsets(make_view(offsets.data(), {5})), options);
    ADD_FAILURE() << "no overflow";
  } catch (const overflow_error& e) {
    EXPECT_NE(std::string(e.what()).find("(result 2, counted from 0)"), std::string::npos) << e.what();
  }
}

TEST(segment_sources, are_refused_where_they_cannot_be_read) {
  const std::vector<std::int64_t> begins{50, 10}, ends{60, 20}, far{50, 101};
  const segments of = segments::from_ranges(make_view(begins.data(), {2}), make_view(ends.data(), {2}));
  const std::vector<float> x(100, 1.0f);
  vector_source<float> pipe(x, {100}, "the pipe", false, true), stream(x, {-1}), columns(x, {10, 10});
  reduce_options options;
  options.memory_bytes = 40;
  expect_refusal<unsupported_error>("the pipe is read once", [&] { reduce(op_kind::sum, pipe, of, options); });
  expect_refusal<unsupported_error>("lengths are known", [&] { reduce(op_kind::sum, stream, of); });
  const std::vector<std::int64_t> whole{0, 10};
  options.axes = {1};
  expect_refusal<out_of_memory>("it takes 400 bytes, and 40 are allowed", [&] {
    reduce(op_kind::sum, columns, segments::from_offsets(make_view(whole.data(), {2})), options);
  });
  expect_refusal<shape_error>("offset 1 is 101", [&] {
    vector_source<float> source(x, {100});
    reduce(op_kind::sum, source, segments::from_offsets(make_view(far.data(), {2})));
  });
}

}  // namespace
}  // namespace multifold
