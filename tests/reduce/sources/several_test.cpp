// Several operations on one array have, each, the bits that they have by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/every.hpp"
#include "host/random_array.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

const std::vector<op_kind> of_one = test::ops_of_one_array();

reduce_options on_host(int threads = 0) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.threads = threads;
  return options;
}

void expect_alike(const reduce_result& got, const reduce_result& alone) {
  EXPECT_EQ(got.type, alone.type);
  EXPECT_EQ(got.extents, alone.extents);
  EXPECT_EQ(got.data, alone.data);
  EXPECT_EQ(got.count, alone.count);
  EXPECT_EQ(got.bytes, alone.bytes);
  EXPECT_EQ(got.achieved, alone.achieved);
  EXPECT_EQ(got.engine, alone.engine);
  EXPECT_EQ(got.used.what, alone.used.what);
}

TEST(several, have_the_bits_that_each_has_by_itself) {
  test::random_bits rng(5);
  for (int round = 0; round < 250; ++round) {
    const dtype type = static_cast<dtype>(rng() % 13);
    const test::array array = test::random_array(type, test::random_extents(rng, round % 8 == 0 ? 400'000 : 5000), rng);
    const array_view& view = array.view;
    reduce_options options = on_host(static_cast<int>(rng() % 4));
    if (rng() % 2 == 0) options.axes = test::random_axes(view.rank(), rng);
    if (rng() % 3 == 0) options.nan = nan_policy::omit;
    if (rng() % 4 == 0) options.wanted = accuracy::fast;
    options.keepdims = rng() % 2 == 0;
    std::vector<op_kind> ops(1 + rng() % 5);
    for (op_kind& each : ops) each = of_one[rng() % of_one.size()];
    std::vector<reduce_result> alone;
    const std::string wrong = test::message_of([&] {
      for (const op_kind op : ops) alone.push_back(reduce(op, view, options));
    });
    std::vector<reduce_result> together;
    const std::string wrong_together = test::message_of([&] { together = reduce(ops, view, options); });
    ASSERT_EQ(wrong.empty(), wrong_together.empty()) << wrong << wrong_together;
    ASSERT_EQ(together.size(), wrong.empty() ? ops.size() : 0);
    for (std::size_t i = 0; i < together.size(); ++i) {
      SCOPED_TRACE(std::string(name(ops[i])) + " of " + std::string(name(type)) + " " + to_string(view.extents));
      expect_alike(together[i], alone[i]);
    }
    if (HasFailure()) return;
  }
}

TEST(several, of_two_arrays) {
  std::vector<float> x(70'000), y(70'000);
  test::random_bits rng(3);
  for (float& each : x) each = static_cast<float>(rng() % 1000) / 64;
  for (float& each : y) each = static_cast<float>(rng() % 1000) / 32 - 8;
  const array_view a = make_view(x.data(), {70, 1000}), b = make_view(y.data(), {70, 1000});
  for (const std::int64_t axis : {0, 1}) {
    reduce_options options = on_host();
    options.axes = std::vector<std::int64_t>{axis};
    options.correction = 1;
    const std::vector<reduce_result> got = reduce({op_kind::dot, op_kind::cov}, a, b, options);
    ASSERT_EQ(got.size(), 2u);
    expect_alike(got[1], reduce(op_kind::cov, a, b, options));
    options.correction = 0;
    expect_alike(got[0], reduce(op_kind::dot, a, b, options));
  }
}

TEST(several, of_nothing) {
  const array_view none = make_view(static_cast<const float*>(nullptr), {0, 3});
  reduce_options options = on_host();
  options.axes = std::vector<std::int64_t>{0};
  const std::vector<reduce_result> got = reduce({op_kind::sum, op_kind::prod, op_kind::count_nonzero}, none, options);
  for (const reduce_result& each : got) {
    EXPECT_EQ(each.data, reduce(each.used.what.op, none, options).data);
    EXPECT_EQ(each.extents, std::vector<std::int64_t>{3});
  }
  test::expect_refusal<shape_error>("max", [&] { static_cast<void>(reduce({op_kind::sum, op_kind::max}, none)); });
}

TEST(several, take_options_that_concern_one_of_them) {
  const std::vector<double> x{1, 2, 4};
  const array_view view = make_view(x.data(), {3});
  reduce_options options = on_host();
  options.initial = {true, false, 0, 0.5};
  options.correction = 1;
  const std::vector<reduce_result> got =
      reduce({op_kind::sum, op_kind::var, op_kind::mean, op_kind::min}, view, options);
  EXPECT_EQ(got[0].value<double>(), 7.5);
  EXPECT_EQ(got[1].value<double>(), 7.0 / 3);
  EXPECT_EQ(got[2].value<double>(), 7.0 / 3);
  EXPECT_EQ(got[3].value<double>(), 0.5);
}

TEST(several, refuse_options_that_are_for_none_of_them) {
  const std::vector<double> x{1, 2, 4};
  const array_view view = make_view(x.data(), {3});
  reduce_options options = on_host();
  const auto refused = [&](const std::string& message) {
    test::expect_refusal<unsupported_error>(message, [&] {
      static_cast<void>(reduce({op_kind::mean, op_kind::norm2}, view, options));
    });
  };
  options.initial = {true, false, 0, 1};
  refused("an initial value");
  options = on_host();
  options.correction = 1;
  refused("a correction");
  options = on_host();
  options.keep_state = true;
  refused("state");
  options = on_host();
  std::vector<std::byte> room(16);
  options.into = room;
  refused("memory for their results");
  options = on_host();
  options.forced.passes = 2;
  refused("forced plan");
  test::expect_refusal<unsupported_error>(
      "no operation", [&] { static_cast<void>(reduce(std::span<const op_kind>(), view, on_host())); });
  test::expect_refusal<unsupported_error>("dot", [&] {
    static_cast<void>(reduce({op_kind::sum, op_kind::dot}, view, on_host()));
  });
}

TEST(several, are_told_of_as_one_read) {
  std::vector<float> x(1 << 22, 1.0f);
  const array_view view = make_view(x.data(), {1 << 22});
  reduce_options options = on_host(2);
  std::int64_t last = 0, calls = 0;
  options.progress = [&](std::int64_t bytes) {
    EXPECT_GE(bytes, last);
    last = bytes;
    ++calls;
  };
  static_cast<void>(reduce({op_kind::sum, op_kind::max, op_kind::norm2}, view, options));
  EXPECT_EQ(last, std::int64_t{4} << 22);
  EXPECT_GT(calls, 0);
  last = 0;
  options.wanted = accuracy::fast;  // which is read by itself
  static_cast<void>(reduce({op_kind::sum, op_kind::max, op_kind::norm2}, view, options));
  EXPECT_EQ(last, std::int64_t{8} << 22);
}

TEST(several, of_a_source_that_is_read_once) {
  test::random_bits rng(17);
  for (const bool pipe : {false, true}) {
    for (const std::vector<std::int64_t>& extents :
         {std::vector<std::int64_t>{3'000'000}, {3000, 1000}, {7, 60'000, 5}, {2, 400'000}}) {
      std::vector<float> x(static_cast<std::size_t>(element_count(extents)));
      for (float& each : x) each = static_cast<float>(static_cast<std::int64_t>(rng() % 4000) - 2000) / 64;
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(extents.size()); ++axis) {
        for (const bool fortran : {false, true}) {
          vector_source<float> input(x, extents, "x", fortran, pipe);
          reduce_options options = on_host(3);
          options.axes = std::vector<std::int64_t>{axis};
          if (fortran && pipe) options.axes = axes::all;
          constexpr op_kind ops[] = {op_kind::sum, op_kind::argmax, op_kind::prod, op_kind::describe, op_kind::norm2};
          std::int64_t read = 0;
          options.progress = [&](std::int64_t bytes) { read = bytes; };
          const std::vector<reduce_result> got = reduce(std::span<const op_kind>(ops), input, options);
          EXPECT_EQ(read, static_cast<std::int64_t>(x.size() * sizeof(float)));
          for (const reduce_result& each : got) {
            SCOPED_TRACE(std::string(name(each.used.what.op)) + to_string(extents) +
                         (fortran ? " in Fortran order" : ""));
            expect_alike(each, reduce(each.used.what.op, input, options));
          }
        }
      }
    }
  }
}

TEST(several, of_a_stream_of_unknown_length) {
  vector_source<double> input({0.5, -2, 4}, {-1});
  const std::vector<reduce_result> got = reduce({op_kind::max, op_kind::mean, op_kind::argmin}, input, on_host());
  EXPECT_EQ(got[0].value<double>(), 4);
  EXPECT_EQ(got[1].value<double>(), 2.5 / 3);
  EXPECT_EQ(got[2].value<std::int64_t>(), 1);
  EXPECT_EQ(got[2].count, 3);
  EXPECT_EQ(got[2].bytes, 24);
  vector_source<double> nothing({}, {-1});
  test::expect_refusal<shape_error>("max", [&] {
    static_cast<void>(reduce({op_kind::sum, op_kind::max}, nothing, on_host()));
  });
  reduce_options device;
  device.engine = engine_choice::device;
  test::expect_refusal<unsupported_error>("read once", [&] {
    static_cast<void>(reduce({op_kind::sum, op_kind::var}, input, device));
  });
  // Before the first one runs.
  device.result = dtype::i64;
  test::expect_refusal<unsupported_error>("real number", [&] {
    static_cast<void>(reduce({op_kind::sumsq, op_kind::var}, input, device));
  });
}

TEST(several, of_two_sources) {
  const std::vector<double> x{1, 2, 3, 4}, y{2, 1, 0, 5};
  vector_source<double> a(x, {2, 2}), b(y, {2, 2});
  const std::vector<reduce_result> got = reduce({op_kind::cov, op_kind::dot}, a, b, on_host());
  EXPECT_EQ(got[0].data, reduce(op_kind::cov, a, b, on_host()).data);
  EXPECT_EQ(got[1].value<double>(), 24);
}

TEST(several, can_be_cancelled) {
  std::vector<float> x(1 << 22, 1.0f);
  reduce_options options = on_host(2);
  std::stop_source stop;
  options.stop = stop.get_token();
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(reduce({op_kind::sum, op_kind::max}, make_view(x.data(), {1 << 22}), options)),
               cancelled_error);
}

}  // namespace
}  // namespace multifold
