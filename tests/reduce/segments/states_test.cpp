// States of segments: parts of them merge to the bytes of the whole, whatever was cut where, and finish as its values.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/segments/lists.hpp"
#include "reduce/sources/vector_source.hpp"
#include "reduce/states/signed_state.hpp"

namespace multifold {
namespace {

using test_states::message_of, test_states::with;

// Room for every dtype, of small integers, some of them twice as large as others, as bytes.
std::vector<std::byte> elements(dtype type, std::int64_t count, test::random_bits& random) {
  std::vector<std::byte> made(static_cast<std::size_t>(count * item_bytes(type)));
  for (std::byte& b : made) b = static_cast<std::byte>(random());
  if (!is_floating(type)) return made;
  visit_floating(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = (static_cast<double>(random() % 2001) - 1000) / static_cast<double>(1 << random() % 12);
      T narrowed;
      if constexpr (std::is_same_v<T, f16>) narrowed = to_f16(x);
      else if constexpr (std::is_same_v<T, bf16>) narrowed = to_bf16(x);
      else narrowed = static_cast<T>(x);
      std::memcpy(made.data() + i * static_cast<std::int64_t>(sizeof(T)), &narrowed, sizeof(T));
    }
  });
  return made;
}

reduce_options kept(std::int64_t axis, bool alone = false) {
  reduce_options options;
  options.axes = {axis};
  options.keep_state = true;
  options.only_state = alone;
  return options;
}

struct operation {
  op_kind op;
  dtype type;
};
constexpr operation operations[] = {
    {op_kind::sum, dtype::f32},   {op_kind::mean, dtype::f64},     {op_kind::sum, dtype::f16},
    {op_kind::sum, dtype::i8},    {op_kind::prod, dtype::boolean}, {op_kind::min, dtype::bf16},
    {op_kind::max, dtype::u64},   {op_kind::any, dtype::f32},      {op_kind::count_nonzero, dtype::i16},
    {op_kind::norm1, dtype::i32}, {op_kind::sumsq, dtype::f32},    {op_kind::var, dtype::f64},
    {op_kind::std, dtype::u8}};

segments ranges(const std::vector<std::int64_t>& begins, const std::vector<std::int64_t>& ends) {
  const auto count = static_cast<std::int64_t>(begins.size());
  return segments::from_ranges(make_view(begins.data(), {count}), make_view(ends.data(), {count}));
}

TEST(segment_states, parts_are_the_whole) {
  test::random_bits random(20261130);
  for (const operation& each : operations) {
    for (int trial = 0; trial < 12; ++trial) {
      const std::int64_t axis = trial % 2, extent = 1 + static_cast<std::int64_t>(random() % 900);
      const std::int64_t other = trial % 3 == 0 ? 1 : 1 + static_cast<std::int64_t>(random() % 40);
      const std::vector<std::int64_t> extents = axis == 0 ? std::vector{extent, other} : std::vector{other, extent};
      const auto memory = elements(each.type, extent * other, random);
      const array_view x = make_view(static_cast<const void*>(memory.data()), each.type, extents);
      const test::segment_list list =
          test::scattered_segments(extent, 1 + static_cast<std::int64_t>(random() % 60), 200, random);
      std::vector<std::int64_t> middles;
      for (std::size_t i = 0; i < list.begins.size(); ++i) {
        const auto length = static_cast<std::uint64_t>(list.ends[i] - list.begins[i]);
        middles.push_back(list.begins[i] + static_cast<std::int64_t>(random() % (length + 1)));
      }
      const segments of = ranges(list.begins, list.ends);
      const state whole(reduce(each.op, x, of, kept(axis, true)).state);
      state both(reduce(each.op, x, ranges(middles, list.ends), kept(axis, true)).state);
      both.merge(state(reduce(each.op, x, ranges(list.begins, middles), kept(axis, true)).state));
      ASSERT_EQ(both.bytes(), whole.bytes()) << name(each.op) << ' ' << name(each.type) << ' ' << trial;
      ASSERT_EQ(state(whole.bytes()).bytes(), whole.bytes());

      const bool valued = has_identity(each.op) || list.begins.empty() ||
                          std::equal(list.begins.begin(), list.begins.end(), list.ends.begin(), std::less<>());
      if (!valued) continue;
      const reduce_result wanted = reduce(each.op, x, of, {.axes = {axis}});
      const reduce_result beside = reduce(each.op, x, of, kept(axis)), finished = both.finish(each.op);
      EXPECT_EQ(finished.data, wanted.data) << name(each.op) << ' ' << name(each.type) << ' ' << trial;
      EXPECT_EQ(beside.data, wanted.data);
      EXPECT_EQ(beside.state, whole.bytes());
      EXPECT_EQ(finished.extents, wanted.extents);
      EXPECT_EQ(finished.count, wanted.count);
    }
  }
}

TEST(segment_states, of_two_arrays) {
  test::random_bits random(2);
  const auto first = elements(dtype::f32, 600, random), second = elements(dtype::f32, 600, random);
  const array_view x = make_view(static_cast<const void*>(first.data()), dtype::f32, {600});
  const array_view y = make_view(static_cast<const void*>(second.data()), dtype::f32, {600});
  const std::vector<std::int64_t> begins{0, 10, 10, 300}, middles{5, 10, 250, 301}, ends{9, 10, 290, 600};
  for (const op_kind op : {op_kind::dot, op_kind::cov}) {
    state both(reduce(op, x, y, ranges(begins, middles), kept(0, true)).state);
    both.merge(state(reduce(op, x, y, ranges(middles, ends), kept(0, true)).state));
    EXPECT_EQ(both.bytes(), reduce(op, x, y, ranges(begins, ends), kept(0, true)).state) << name(op);
    EXPECT_EQ(both.finish(op).data, reduce(op, x, y, ranges(begins, ends)).data);
  }
}

TEST(segment_states, of_equal_lengths_are_those_of_rows) {
  test::random_bits random(3);
  const auto memory = elements(dtype::f32, 40 * 25, random);
  std::vector<std::int64_t> offsets(41);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = 25 * static_cast<std::int64_t>(i);
  const segments list = segments::from_offsets(make_view(offsets.data(), {41}));
  const array_view flat = make_view(static_cast<const void*>(memory.data()), dtype::f32, {1000});
  const array_view table = make_view(static_cast<const void*>(memory.data()), dtype::f32, {40, 25});
  for (const op_kind op : {op_kind::sum, op_kind::max, op_kind::var}) {
    const state rows = reduce_to_state(op, table, {.axes = {1}});
    EXPECT_EQ(reduce(op, flat, list, kept(0, true)).state, rows.bytes());
    EXPECT_EQ(rows.count(), 25);
    EXPECT_TRUE(rows.counts().empty());
  }
}

TEST(segment_states, of_keys_in_any_order_and_cut) {
  test::random_bits random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 3000);
    const std::int64_t groups = 1 + static_cast<std::int64_t>(random() % 50);
    const auto memory = elements(dtype::f64, count, random);
    std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
    for (auto& key : keys) key = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(groups));
    const auto cut = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count + 1));
    const auto part = [&](std::int64_t first, std::int64_t last) {
      const array_view x = make_view(static_cast<const void*>(memory.data() + 8 * first), dtype::f64, {last - first});
      return state(
          reduce_by_key(op_kind::mean, x, make_view(keys.data() + first, {last - first}), groups, kept(0, true)).state);
    };
    state both = part(cut, count);
    both.merge(part(0, cut));
    const state whole = part(0, count);
    EXPECT_EQ(both.bytes(), whole.bytes());
    const array_view x = make_view(static_cast<const void*>(memory.data()), dtype::f64, {count});
    EXPECT_EQ(both.finish(op_kind::mean).data,
              reduce_by_key(op_kind::mean, x, make_view(keys.data(), {count}), groups).data);
  }
}

// Segments that fit memory together, and one that does not.
TEST(segment_states, of_sources) {
  test::random_bits random(5);
  const auto memory = elements(dtype::f32, 1 << 20, random);
  std::vector<float> x(1 << 20);
  std::memcpy(x.data(), memory.data(), memory.size());
  const std::vector<std::int64_t> begins{0, 7, 1000, 2000}, ends{7, 7, 1900, 1 << 20};
  for (const op_kind op : {op_kind::sum, op_kind::std}) {
    vector_source<float> source(x, {1 << 20});
    reduce_options small = kept(0);
    small.memory_bytes = 1 << 20;
    const reduce_result streamed = reduce(op, source, ranges(begins, ends), small);
    const reduce_result wanted = reduce(op, make_view(x.data(), {1 << 20}), ranges(begins, ends), kept(0));
    EXPECT_EQ(streamed.state, wanted.state);
    EXPECT_EQ(std::memcmp(streamed.data.data(), wanted.data.data(), wanted.data.size()), 0);
  }
}

TEST(segment_states, count_the_elements_of_each) {
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::int64_t> begins{0, 3, 1}, ends{3, 3, 2};
  const state found(reduce(op_kind::min, make_view(x.data(), {4}), ranges(begins, ends), kept(0, true)).state);
  EXPECT_EQ(found.count(), 0);
  EXPECT_EQ(std::vector(found.counts().begin(), found.counts().end()), (std::vector<std::int64_t>{3, 0, 1}));
  EXPECT_EQ(message_of<shape_error>([&] { found.finish(op_kind::min); }),
            "result 1 has no elements, and min of nothing has no value: give an initial value");
  const reduce_result bounded = found.finish(op_kind::min, {.initial = {true, false, 0, 1.5}});
  EXPECT_EQ(std::vector(bounded.values<float>().begin(), bounded.values<float>().end()),
            (std::vector<float>{1, 1.5, 1.5}));
  state none(op_kind::min, dtype::f32, {3});
  none.merge(found);
  EXPECT_EQ(none.bytes(), found.bytes());
}

TEST(segment_states, that_are_none_are_refused) {
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::int64_t> begins{0, 3}, ends{3, 4};
  const array_view view = make_view(x.data(), {4});
  const auto refused = [&](op_kind op, auto change) {
    reduce_options options = kept(0, true);
    change(options);
    return message_of<unsupported_error>([&] { reduce(op, view, ranges(begins, ends), options); });
  };
  const auto nothing = [](reduce_options&) {};
  for (const op_kind op : {op_kind::argmin, op_kind::argmax, op_kind::describe}) {
    EXPECT_EQ(refused(op, nothing), "segments: there are no states of " + std::string(name(op)) +
                                        ": it keeps indices, and every segment has its own");
  }
  EXPECT_NE(refused(op_kind::prod, nothing).find("rounded on the way"), std::string::npos);
  EXPECT_NE(refused(op_kind::sum, [](reduce_options& o) { o.wanted = accuracy::fast; }).find("ask for exact"),
            std::string::npos);
  EXPECT_NE(refused(op_kind::sum,
                    [](reduce_options& o) {
                      o.initial = {true, false, 0, 1.0};
                    })
                .find("an initial value"),
            std::string::npos);
  EXPECT_EQ(refused(op_kind::sum, [](reduce_options& o) { o.engine = engine_choice::device; }),
            "states of segments are kept by the host engine: leave it to that");
}

// Two segments of i8, of two elements and of none.
TEST(segment_states, are_files_of_the_second_version) {
  const std::vector<std::int8_t> x{3, -5};
  const std::vector<std::int64_t> begins{0, 2}, ends{2, 2};
  const std::vector<std::byte> found =
      reduce(op_kind::sum, make_view(x.data(), {2}), ranges(begins, ends), kept(0, true)).state;
  std::vector<std::byte> wanted(104);
  std::memcpy(wanted.data(), "MFSTATE\n\2\0\1\2\0\1\0\0\x68", 17);
  wanted[40] = std::byte{2};                                             // the extent
  wanted[48] = std::byte{2};                                             // elements of the first
  std::fill(wanted.begin() + 64, wanted.begin() + 80, std::byte{0xff});  // -2
  wanted[64] = std::byte{0xfe};
  EXPECT_EQ(found, test_states::signed_again(wanted));

  const auto said = [](const std::vector<std::byte>& bytes) { return message_of<format_error>([&] { state{bytes}; }); };
  EXPECT_EQ(said(with(found, 8, 2, 3)),
            "state, byte 8: found version 3, expected version 1 or 2; a newer multifold wrote this");
  EXPECT_EQ(said(with(found, 24, 8, 2)), "state, byte 24: found 2 elements, expected 0, beside those of each result");
  EXPECT_EQ(said(with(found, 56, 8, 2)),
            "state, byte 8: found version 2, and as many elements of each result, expected version 1");
  EXPECT_EQ(said(with(found, 56, 8, ~std::uint64_t{0})), "state, byte 56: found -1 elements, expected 0 or more");
  EXPECT_EQ(said(with(found, 80, 8, 1)),
            "state, byte 80: found a sum larger than 0 elements allow, expected a smaller one");
  EXPECT_EQ(said(with(found, 10, 1, 6)),
            "state, byte 8: found version 2 of argmax of i8 to (2,), expected version 1, as indices have");
  EXPECT_EQ(said(with(found, 40, 8, 9)), "state, byte 96: found the end, expected 9 numbers of elements");
}

}  // namespace
}  // namespace multifold
