// What segments are refused for, in which words, and that nothing is written then.
#include <gtest/gtest.h>

#include <string>

#include "multifold/segments.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

const std::vector<float> elements(100, 1.0f);

void sum_of(const std::vector<std::int64_t>& offsets, const reduce_options& options = {}, op_kind op = op_kind::sum) {
  const segments of = segments::from_offsets(make_view(offsets.data(), {static_cast<std::int64_t>(offsets.size())}));
  std::vector<float> results(offsets.size() - 1, 42.0f);
  reduce_options into = options;
  if (op == op_kind::sum || op == op_kind::min) into.into = std::as_writable_bytes(std::span(results));
  try {
    reduce(op, make_view(elements.data(), {100}), of, into);
  } catch (...) {
    EXPECT_EQ(results, std::vector<float>(results.size(), 42.0f));
    throw;
  }
}

void sum_of_ranges(const std::vector<std::int32_t>& begins, const std::vector<std::int32_t>& ends) {
  const segments of = segments::from_ranges(make_view(begins.data(), {static_cast<std::int64_t>(begins.size())}),
                                            make_view(ends.data(), {static_cast<std::int64_t>(ends.size())}));
  reduce(op_kind::sum, make_view(elements.data(), {100}), of);
}

TEST(segments_refusals, offsets_outside_of_the_axis) {
  expect_refusal<shape_error>("offset 3 is 5, less than 9 before it", [] { sum_of({0, 4, 9, 5, 7}); });
  expect_refusal<shape_error>("offset 0 is -1; expected 0 or more", [] { sum_of({-1, 4}); });
  expect_refusal<shape_error>("offset 2 is -7, less than 3 before it", [] { sum_of({0, 3, -7}); });
  expect_refusal<shape_error>("offset 2 is 101, past the 100 elements of axis 0", [] { sum_of({0, 3, 101}); });
  expect_refusal<shape_error>("offset 0 is 500, past the 100 elements of axis 0", [] { sum_of({500, 500}); });
  expect_refusal<shape_error>("offset 1 is 9223372036854775807, past", [] { sum_of({0, INT64_MAX}); });
  expect_refusal<shape_error>("offset 0 is -9223372036854775808; expected", [] { sum_of({INT64_MIN, INT64_MAX}); });
  EXPECT_NO_THROW(sum_of({100, 100}));
  std::vector<std::int64_t> many(3000, 50);
  many[2345] = 49;
  expect_refusal<shape_error>("offset 2345 is 49, less than 50 before it", [&] { sum_of(many); });
}

TEST(segments_refusals, ranges_outside_of_the_axis) {
  expect_refusal<shape_error>("segment 1 ends at 3, before it begins at 9", [] { sum_of_ranges({0, 9}, {100, 3}); });
  expect_refusal<shape_error>("segment 0 begins at -2; expected 0 or more", [] { sum_of_ranges({-2}, {3}); });
  expect_refusal<shape_error>("segment 2 ends at 101, past the 100 elements of axis 0", [] {
    sum_of_ranges({0, 0, 0}, {1, 1, 101});
  });
}

TEST(segments_refusals, lists_that_are_none) {
  const std::vector<std::int64_t> x{0, 1, 2, 3};
  const std::vector<float> reals{0, 1};
  const std::vector<std::uint64_t> naturals{0, 1};
  const auto of = [](const array_view& view) { return segments::from_offsets(view); };
  expect_refusal<unsupported_error>("offsets are f32; expected i32 or i64", [&] { of(make_view(reals.data(), {2})); });
  expect_refusal<unsupported_error>("offsets are u64; expected i32 or i64",
                                    [&] { of(make_view(naturals.data(), {2})); });
  expect_refusal<shape_error>("there are no offsets", [&] { of(make_view(x.data(), {0})); });
  expect_refusal<shape_error>("offsets of shape (2, 2)", [&] { of(make_view(x.data(), {2, 2})); });
  expect_refusal<shape_error>("offsets of shape ()", [&] { of(make_view(x.data(), {})); });
  expect_refusal<shape_error>("offsets have no address", [&] { of(make_view<std::int64_t>(nullptr, {2})); });
  array_view every_second = make_view(x.data(), {2});
  every_second.strides = {2};
  expect_refusal<shape_error>("are no list: expected one axis of neighbours", [&] { of(every_second); });
  expect_refusal<shape_error>("begins and ends of segments are as many: found (2,) and (3,)",
                              [&] { segments::from_ranges(make_view(x.data(), {2}), make_view(x.data(), {3})); });
}

TEST(segments_refusals, of_a_list_made_by_hand) {
  const std::vector<std::int64_t> x{0, 1};
  const auto with = [](const segments& of) { reduce(op_kind::sum, make_view(elements.data(), {100}), of); };
  expect_refusal<unsupported_error>("segments are given in u8", [&] { with({x.data(), x.data(), dtype::u8, 1}); });
  expect_refusal<shape_error>("-1 segments", [&] { with({x.data(), x.data(), dtype::i64, -1}); });
  expect_refusal<shape_error>("has no address", [&] { with({x.data(), nullptr, dtype::i64, 1}); });
}

TEST(segments_refusals, empty_segments_without_a_value) {
  expect_refusal<shape_error>("segment 2 is empty, and min of nothing has no value: give an initial value", [] {
    sum_of({0, 1, 2, 2, 2, 9}, {}, op_kind::min);
  });
  expect_refusal<shape_error>("segment 0 is empty, and argmax of nothing has no value: leave it out", [] {
    sum_of({7, 7}, {}, op_kind::argmax);
  });
  reduce_options options;
  options.initial = {true, false, 0, 5.0};
  EXPECT_NO_THROW(sum_of({0, 1, 2, 2, 2, 9}, options, op_kind::min));
}

TEST(segments_refusals, options_without_a_meaning) {
  const auto refused = [](const char* message, const auto& set) {
    reduce_options options;
    set(options);
    expect_refusal<unsupported_error>(message, [&] { sum_of({0, 1}, options); });
  };
  refused("keepdims has no meaning here", [](reduce_options& o) { o.keepdims = true; });
  refused("checkpoint has no meaning here", [](reduce_options& o) { o.checkpoint = "x"; });
  refused("a forced plan has no meaning here", [](reduce_options& o) { o.forced.parts = 3; });
  refused("segments are not shared by engines", [](reduce_options& o) { o.engine = engine_choice::both; });
  refused("not i32", [](reduce_options& o) { o.result = dtype::i32; });
}

TEST(segments_refusals, axes_that_are_not_one) {
  const std::vector<std::int64_t> offsets{0, 1};
  const segments of = segments::from_offsets(make_view(offsets.data(), {2}));
  const auto with = [&](std::vector<std::int64_t> extents, axes reduced) {
    reduce_options options;
    options.axes = std::move(reduced);
    reduce(op_kind::sum, make_view(elements.data(), std::move(extents)), of, options);
  };
  expect_refusal<shape_error>("shape (2, 50) has 2: name it", [&] { with({2, 50}, axes::all); });
  expect_refusal<shape_error>("segments cut one axis, and 2 were named", [&] { with({2, 50}, {{0, 1}}); });
  expect_refusal<shape_error>("segments cut one axis, and 0 were named", [&] { with({2, 50}, axes::none); });
  expect_refusal<shape_error>("axis 2 is out of range", [&] { with({2, 50}, {{2}}); });
  expect_refusal<shape_error>("axis", [&] { with({}, {{0}}); });
}

TEST(segments_refusals, operations_and_arrays_that_do_not_fit) {
  const std::vector<std::int64_t> offsets{0, 1};
  const segments of = segments::from_offsets(make_view(offsets.data(), {2}));
  const array_view view = make_view(elements.data(), {100});
  expect_refusal<unsupported_error>("dot takes two arrays", [&] { reduce(op_kind::dot, view, of); });
  expect_refusal<unsupported_error>("sum takes one array", [&] { reduce(op_kind::sum, view, view, of); });
  expect_refusal<shape_error>("no address", [&] { reduce(op_kind::sum, make_view<float>(nullptr, {5}), of); });
  std::vector<std::byte> odd(9);
  reduce_options options;
  options.into = odd;
  expect_refusal<shape_error>("1 results of 4 bytes", [&] { reduce(op_kind::sum, view, of, options); });
}

TEST(segments_refusals, overflow_names_the_result) {
  const std::vector<std::int64_t> x{1, INT64_MAX, INT64_MAX, 2};
  const std::vector<std::int64_t> offsets{0, 1, 3, 4};
  const segments of = segments::from_offsets(make_view(offsets.data(), {4}));
  expect_refusal<overflow_error>("(result 1, counted from 0)",
                                 [&] { reduce(op_kind::sum, make_view(x.data(), {4}), of); });
}

TEST(segments_refusals, a_stop_cancels) {
  const std::vector<float> x(4'000'000, 1.0f);
  const std::vector<std::int64_t> offsets{0, 4'000'000};
  const segments of = segments::from_offsets(make_view(offsets.data(), {2}));
  std::stop_source source;
  source.request_stop();
  reduce_options options;
  options.stop = source.get_token();
  EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {4'000'000}), of, options), cancelled_error);
}

}  // namespace
}  // namespace multifold
