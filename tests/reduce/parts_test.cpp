// Arrays in parts: the bits of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "host/random_array.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/parts/joined_parts.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

constexpr op_kind served[] = {op_kind::sum, op_kind::mean, op_kind::min,          op_kind::max,
                              op_kind::any, op_kind::all,  op_kind::count_nonzero};

bool is_served(op_kind op, dtype type, const reduce_options& options) {
  if (op == op_kind::mean) return is_floating(type);
  // What is as wide as its sum may be too much in a part alone.
  if (op == op_kind::sum) return is_floating(type) || item_bytes(type) < 8;
  return (op != op_kind::min && op != op_kind::max) || options.nan == nan_policy::propagate || !is_floating(type);
}

TEST(parts, have_the_bits_of_the_whole) {
  test::random_bits rng(8);
  for (int round = 0; round < 400; ++round) {
    const auto type = static_cast<dtype>(rng() % 13);
    std::vector<std::byte> memory(static_cast<std::size_t>(item_bytes(type)) * (1 + rng() % 3000));
    const std::int64_t elements = static_cast<std::int64_t>(memory.size()) / item_bytes(type);
    test::fill(type, memory.data(), elements, rng);
    reduce_options options;
    options.engine = engine_choice::host;
    if (rng() % 3 == 0) options.nan = nan_policy::omit;
    const op_kind op = served[rng() % std::size(served)];
    if (!is_served(op, type, options)) continue;
    if (takes_initial(op) && default_result_dtype(op, type) != dtype::boolean && rng() % 3 == 0)
      options.initial = {true, true, 3, 3};
    if (gives_real(op) && rng() % 3 == 0) options.result = dtype::f64;
    std::vector<array_view> parts;
    for (std::int64_t at = 0; at < elements;) {
      const std::int64_t count = std::min<std::int64_t>(static_cast<std::int64_t>(rng() % 700), elements - at);
      parts.push_back(make_view(memory.data() + at * item_bytes(type), type, {count}));
      at += count;
    }
    std::shuffle(parts.begin(), parts.end(), rng);
    const reduce_result whole = reduce(op, make_view(memory.data(), type, {elements}), options);
    const reduce_result got = reduce_parts(op, parts, options);
    SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(type)));
    ASSERT_EQ(got.data, whole.data);
    EXPECT_EQ(got.type, whole.type);
    EXPECT_EQ(got.extents, whole.extents);
    EXPECT_EQ(got.count, whole.count);
    EXPECT_EQ(got.bytes, whole.bytes);
    EXPECT_EQ(got.engine, "host");
    EXPECT_EQ(got.achieved, whole.achieved);
  }
}

TEST(parts, tell_of_all_their_bytes) {
  const std::vector<float> x(3'000'000, 1);
  std::vector<array_view> parts;
  for (std::int64_t i = 0; i < 3; ++i) parts.push_back(make_view(x.data() + i * 1'000'000, {1'000'000}));
  reduce_options options;
  options.engine = engine_choice::host;
  std::int64_t last = 0;
  options.progress = [&](std::int64_t bytes) {
    EXPECT_GE(bytes, last);
    last = bytes;
  };
  EXPECT_EQ(reduce_parts(op_kind::sum, parts, options).value<float>(), 3e6F);
  EXPECT_EQ(last, 12'000'000);
}

TEST(parts, of_nothing_are_as_an_array_of_nothing) {
  const array_view none = make_view(static_cast<const float*>(nullptr), {0});
  const std::vector<array_view> parts{none, none};
  EXPECT_EQ(reduce_parts(op_kind::sum, parts).value<float>(), 0.0F);
  test::expect_refusal<shape_error>("max", [&] { static_cast<void>(reduce_parts(op_kind::max, parts)); });
  test::expect_refusal<shape_error>("no parts", [&] { static_cast<void>(reduce_parts(op_kind::sum, {})); });
}

TEST(parts, refuse_what_does_not_follow_from_parts) {
  const std::vector<float> x{1, 2, 3};
  const std::vector<double> y{1};
  const std::vector<array_view> parts{make_view(x.data(), {3}), make_view(x.data(), {2})};
  for (const op_kind op : {op_kind::var, op_kind::prod, op_kind::argmin, op_kind::describe, op_kind::norm2}) {
    test::expect_refusal<unsupported_error>(std::string(name(op)), [&] { static_cast<void>(reduce_parts(op, parts)); });
  }
  const std::vector<array_view> mixed{make_view(x.data(), {3}), make_view(y.data(), {1})};
  test::expect_refusal<shape_error>("f64", [&] { static_cast<void>(reduce_parts(op_kind::sum, mixed)); });
  reduce_options options;
  options.nan = nan_policy::omit;
  test::expect_refusal<unsupported_error>("min",
                                          [&] { static_cast<void>(reduce_parts(op_kind::min, parts, options)); });
  options = {};
  options.keep_state = true;
  test::expect_refusal<unsupported_error>("state",
                                          [&] { static_cast<void>(reduce_parts(op_kind::sum, parts, options)); });
  options = {};
  options.axes = {0};
  test::expect_refusal<unsupported_error>("axes",
                                          [&] { static_cast<void>(reduce_parts(op_kind::sum, parts, options)); });
}

TEST(parts, need_devices_that_are_there) {
  const std::vector<float> x{1, 2, 3};
  const int none[] = {4711};
  const bool some = !devices().empty();
  test::expect_refusal<engine_error>(some ? "4711" : "not there", [&] {
    static_cast<void>(reduce_on_devices(none, op_kind::sum, make_view(x.data(), {3})));
  });
  test::expect_refusal<engine_error>(some ? "no device" : "not there", [&] {
    static_cast<void>(reduce_on_devices({}, op_kind::sum, make_view(x.data(), {3})));
  });
}

TEST(lanes, stop_when_one_fails_and_say_why) {
  std::atomic<int> stopped{0};
  try {
    detail::run_lanes(4, {}, [&](std::size_t lane, const stop_signal& stop) {
      if (lane == 2) throw io_error("the third");
      while (!stop.stop_requested()) {
      }
      ++stopped;
      throw cancelled_error("the others");
    });
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("the third"), std::string::npos) << e.what();
  }
  EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace multifold
