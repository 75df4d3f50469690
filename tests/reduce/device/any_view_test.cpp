// Views of any shape and order, and sources of which any axes are reduced, through the GPU's pipeline: the
// same bits as on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

constexpr std::int64_t room = 1 << 20;  // elements that views may reach

std::int64_t draw(test::random_bits& rng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(high - low + 1));
}

// Few different ones, so that extremes have rivals; magnitudes far apart, so that sums are lost without care.
std::vector<std::byte> elements(dtype type, test::random_bits& rng) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(room * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < room; ++i) {
      T x;
      const std::int64_t small = draw(rng, -100, 100);
      if constexpr (std::is_floating_point_v<T>)
        x = std::ldexp(static_cast<T>(small), static_cast<int>(rng() % 60) - 30);
      else if constexpr (std::is_integral_v<T>) x = static_cast<T>(small);
      else std::memset(&x, static_cast<int>(small & 1), sizeof x);
      std::memcpy(bytes.data() + i * item_bytes(type), &x, sizeof x);
    }
  });
  return bytes;
}

// Axes in any order in memory, with gaps, repeats, and steps backwards.
array_view any_view(test::random_bits& rng, const std::vector<std::byte>& data, dtype type) {
  array_view view{nullptr, type, {}, {}, place::host};
  const std::int64_t rank = draw(rng, 0, 5), most = rank < 3 ? 900 : rank == 3 ? 60 : 13;
  for (std::int64_t i = 0; i < rank; ++i) view.extents.push_back(draw(rng, 0, 9) == 0 ? 1 : draw(rng, 1, most));
  view.strides.resize(view.extents.size());
  std::vector<std::size_t> order(view.extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  const bool dense = rng() % 4 == 0;
  std::int64_t stride = 1, first = 0, reach = 0;
  for (const std::size_t axis : order) {
    const std::int64_t extent = view.extents[axis];
    const bool repeats = !dense && rng() % 6 == 0, backwards = !dense && rng() % 4 == 0;
    if (!dense && rng() % 3 == 0) stride += draw(rng, 1, 3);
    if (!repeats && reach + (extent - 1) * stride >= room) view.extents[axis] = 1;
    const std::int64_t turns = view.extents[axis] - 1;
    view.strides[axis] = repeats ? 0 : backwards ? -stride : stride;
    if (!repeats) reach += turns * stride;
    if (!repeats && backwards) first += turns * stride;
    if (!repeats) stride *= turns + 1;
  }
  view.data = data.data() + first * item_bytes(type);
  return view;
}

std::string shown(op_kind op, const array_view& view, const reduce_options& options) {
  return std::string(name(op)) + " of " + std::string(name(view.type)) + " " + to_string(view.extents) + ", strides " +
         to_string(view.strides) + ", axes " + to_string(options.axes.list()) + ", engine " +
         std::string(name(options.engine));
}

std::vector<std::int64_t> any_axes(test::random_bits& rng, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (rng() % 2 == 0) axes.push_back(rng() % 2 == 0 ? axis : axis - rank);
  }
  return axes;
}

constexpr op_kind operations[] = {op_kind::sum,  op_kind::min, op_kind::argmax, op_kind::argmin,
                                  op_kind::mean, op_kind::var, op_kind::norm1,  op_kind::dot};
constexpr dtype dtypes[] = {dtype::f64, dtype::f32, dtype::i16, dtype::u8, dtype::i64, dtype::boolean};

reduce_result reduced(op_kind op, const array_view& x, const reduce_options& options) {
  return takes_two_arrays(op) ? reduce(op, x, x, options) : reduce(op, x, options);
}

// `given` says how an array with axes comes to be reduced.
template <class Given>
void expect_what_the_cpu_gives(test::random_bits& rng, op_kind op, const array_view& view, const Given& given) {
  reduce_options options;
  options.axes = any_axes(rng, view.rank());
  options.engine = engine_choice::host;
  reduce_result expected;
  try {
    expected = reduced(op, view, options);
  } catch (const unsupported_error&) {
    return;  // not of this dtype
  }
  options.memory_bytes = INT64_C(1) << draw(rng, 21, 24);
  for (const engine_choice engine : {engine_choice::device, engine_choice::both}) {
    options.engine = engine;
    SCOPED_TRACE(shown(op, view, options));
    if (engine == engine_choice::both && expected.achieved == accuracy::fast) continue;
    const reduce_result got = given(options);
    EXPECT_EQ(got.extents, expected.extents);
    EXPECT_EQ(got.count, view.elements());
    ASSERT_EQ(got.data, expected.data);
  }
}

class device_any_view : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
  }
};

TEST_F(device_any_view, gives_what_the_cpu_gives) {
  test::random_bits rng(17);
  for (const dtype type : dtypes) {
    const std::vector<std::byte> data = elements(type, rng);
    for (int round = 0; round < 40; ++round) {
      const op_kind op = operations[draw(rng, 0, std::size(operations) - 1)];
      const array_view view = any_view(rng, data, type);
      expect_what_the_cpu_gives(rng, op, view, [&](const reduce_options& o) { return reduced(op, view, o); });
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(device_any_view, of_a_source_gives_what_the_cpu_gives) {
  test::random_bits rng(18);
  const std::vector<std::byte> data = elements(dtype::f32, rng);
  for (int round = 0; round < 60; ++round) {
    const op_kind op = operations[draw(rng, 0, std::size(operations) - 2)];  // of one array
    array_view view{data.data(), dtype::f32, {}, {}, place::host};
    for (std::int64_t i = draw(rng, 1, 5); i > 0; --i) view.extents.push_back(draw(rng, 1, 14));
    view.extents[0] += 10;
    const bool fortran = order_of(op) == element_order::any && rng() % 2 == 0;
    view.strides = fortran ? fortran_strides(view.extents) : c_strides(view.extents);
    const array_layout layout{dtype::f32, view.extents, fortran};
    const auto next = [&](std::int64_t first, std::span<std::byte> chunk) {
      const std::int64_t count = std::min(static_cast<std::int64_t>(chunk.size()) / 4, view.elements() - first);
      std::memcpy(chunk.data(), data.data() + first * 4, static_cast<std::size_t>(count * 4));
      return count;
    };
    expect_what_the_cpu_gives(rng, op, view, [&](const reduce_options& o) {
      const std::unique_ptr<source> input = make_source("numbers", layout, next, true);
      return reduce(op, *input, o);
    });
    if (HasFatalFailure()) return;
  }
}

// More accumulators than memory, if columns were gathered; and more elements than memory, by far, where all are one.
TEST_F(device_any_view, takes_no_more_memory_than_it_may) {
  test::random_bits rng(19);
  const std::vector<std::byte> data = elements(dtype::f64, rng);
  reduce_options options;
  options.axes = {0};
  options.memory_bytes = 4 << 20;
  const array_view wide{data.data(), dtype::f64, {3, 300'001}, {300'003, 1}, place::host};
  options.engine = engine_choice::host;
  const reduce_result expected = reduce(op_kind::var, wide, options);
  options.engine = engine_choice::device;
  const reduce_result got = reduce(op_kind::var, wide, options);
  EXPECT_EQ(got.data, expected.data);
  EXPECT_LE(got.memory.pinned_bytes, options.memory_bytes);
  EXPECT_LE(got.memory.device_bytes, 16 * options.memory_bytes);
  const float one = 1;
  options.axes = {};
  const array_view ones{&one, dtype::f32, {3, 2'000'000}, {0, 0}, place::host};
  options.axes = axes::all;
  const reduce_result sum = reduce(op_kind::sum, ones, options);
  EXPECT_EQ(sum.value<float>(), 6'000'000.0f);
  EXPECT_LE(sum.memory.pinned_bytes, options.memory_bytes);
}

TEST_F(device_any_view, is_not_copied_from_where_it_has_to_be_gathered) {
  const std::vector<float> x(100, 1);
  reduce_options options;
  options.engine = engine_choice::device;
  const array_view gaps{x.data(), dtype::f32, {50}, {2}, place::host};
  for (const transfer way : {transfer::copy, transfer::mapped}) {
    options.way = way;
    EXPECT_THROW(reduce(op_kind::sum, gaps, options), unsupported_error);
  }
  options.way = transfer::staged;
  EXPECT_EQ(reduce(op_kind::sum, gaps, options).value<float>(), 50.0f);
}

TEST_F(device_any_view, comes_in_chunks_that_have_no_forced_plan) {
  const std::vector<float> x(100, 1);
  for (const engine_choice engine : {engine_choice::device, engine_choice::both}) {
    reduce_options options;
    options.engine = engine;
    EXPECT_TRUE(reduce(op_kind::sum, make_view(x.data(), {100}), options).used.passes.empty());
    options.forced.parts = 7;
    EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {100}), options), unsupported_error);
  }
}

}  // namespace
}  // namespace multifold
