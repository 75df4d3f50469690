// The chunk pipeline against the engine in memory: any axes and order, any number of threads, little memory.
#include "stream/host/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "host/engine.hpp"
#include "host/random_array.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"
#include "stream/memory_source.hpp"

namespace {

using namespace multifold;
using bytes = std::vector<unsigned char>;

array_view view_of(const array_layout& layout) {
  array_view view = make_view(nullptr, layout.type, layout.extents);
  if (layout.fortran_order) view.strides = fortran_strides(layout.extents);
  return view;
}

struct outcome {
  bytes data;
  std::string error;
};

template <class Run>
outcome outcome_of(const plan& p, const Run& run) {
  outcome o;
  o.data.assign(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)), 0xab);
  try {
    run(o.data.data());
  } catch (const error& e) {
    o.error = e.what();
    o.data.clear();
  }
  return o;
}

std::vector<std::byte> random_memory(const array_layout& layout, test::random_bits& random) {
  const std::int64_t elements = element_count(layout.extents);
  std::vector<std::byte> memory(static_cast<std::size_t>(elements * item_bytes(layout.type)));
  test::fill(layout.type, memory.data(), elements, random);
  return memory;
}

// Halves of small integers: sums are exact in double, so their bits do not depend on the order of addition.
// Products of reals do: they are compared among themselves only.
void check(const reduction& what, const array_layout& layout, const std::vector<std::int64_t>& axes,
           test::random_bits& random) {
  const array_view view = view_of(layout);
  const plan p = make_plan(what, normalise(view, axes, order_of(what.op)), {}, host::traits(1));
  const std::string where = std::string(name(what.op)) + " of " + std::string(name(what.input)) + " " +
                            to_string(layout.extents) + (layout.fortran_order ? " fortran" : "") + " axes " +
                            to_string(axes);
  const std::vector<std::byte> memory = random_memory(layout, random);
  outcome expected = outcome_of(p, [&](void* out) { host::run(p, memory.data(), out); });
  bool comparable = !(what.op == op_kind::prod && is_floating(what.input));
  for (bool random_access : {true, false}) {
    for (int threads : {1, 3, 8}) {
      for (std::int64_t limit : {0, 1 << 20, 1 << 18}) {
        test::behaviour how;
        how.random_access = random_access;
        test::memory_source source(layout, memory, how);
        stream::host_options options;
        options.threads = threads;
        options.memory_bytes = limit;
        const outcome found = outcome_of(
            p, [&](void* out) { EXPECT_EQ(stream::run_host(p, source, out, options), element_count(layout.extents)); });
        if (!comparable) expected = found;
        comparable = true;
        ASSERT_EQ(expected.error, found.error) << where;
        ASSERT_EQ(expected.data, found.data) << where << " threads " << threads << " memory " << limit;
        if (limit != 0) {
          ASSERT_LE(source.largest_read, limit);
        }
      }
      if (view.elements() * item_bytes(layout.type) < 200000) break;
    }
  }
}

constexpr dtype some_dtypes[] = {dtype::boolean, dtype::i8,  dtype::u16, dtype::i32,
                                 dtype::u64,     dtype::f16, dtype::f32, dtype::f64};

reduction random_reduction(test::random_bits& random) {
  return make_reduction(all_ops[random() % 7], some_dtypes[random() % std::size(some_dtypes)],
                        random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
}

}  // namespace

TEST(host_stream, small_arrays_of_any_shape) {
  test::random_bits random(1);
  for (int i = 0; i < 1500 && !HasFatalFailure(); ++i) {
    array_layout layout{dtype::f32, std::vector<std::int64_t>(random() % 5), random() % 2 == 0};
    for (std::int64_t& extent : layout.extents) extent = static_cast<std::int64_t>(random() % 9);
    const reduction what = random_reduction(random);
    layout.type = what.input;
    const auto axes = test::random_axes(static_cast<std::int64_t>(layout.extents.size()), random);
    if (element_count(layout.extents) == 0 && !has_identity(what.op)) continue;
    check(what, layout, axes, random);
  }
}

TEST(host_stream, arrays_of_several_chunks) {
  constexpr int arrays = test::sanitized ? 8 : 40;
  test::random_bits random(2);
  for (int i = 0; i < arrays && !HasFatalFailure(); ++i) {
    const reduction what = random_reduction(random);
    const double elements = 5e6 / static_cast<double>(item_bytes(what.input));
    // Up to four axes, some long, some short, about 5 MB together.
    array_layout layout{what.input, {}, random() % 2 == 0};
    double left = elements;
    const std::size_t rank = 1 + random() % 4;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
      const double share = std::pow(left, static_cast<double>(random() % 1000) / 1000);
      layout.extents.push_back(1 + static_cast<std::int64_t>(share));
      left = std::max(1.0, left / share);
    }
    layout.extents.push_back(1 + static_cast<std::int64_t>(left));
    std::shuffle(layout.extents.begin(), layout.extents.end(), random);
    check(what, layout, test::random_axes(static_cast<std::int64_t>(rank), random), random);
  }
}

TEST(host_stream, rows_and_columns_around_chunks) {
  test::random_bits random(3);
  constexpr std::int64_t chunk = (1 << 20) / 4, tile = (64 << 10) / 4;
  for (std::int64_t width : {tile - 1, tile, tile + 1, chunk - 1, chunk, chunk + 1}) {
    for (op_kind op : {op_kind::sum, op_kind::argmin}) {
      for (std::int64_t axis : {0, 1}) {
        check(make_reduction(op, dtype::f32), {dtype::f32, {5, width}, false}, {axis}, random);
        check(make_reduction(op, dtype::f32), {dtype::f32, {5, width}, true}, {axis}, random);
      }
      check(make_reduction(op, dtype::f32), {dtype::f32, {width}, false}, {0}, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(host_stream, streams_of_unknown_length) {
  test::random_bits random(4);
  for (std::int64_t length : {0, 1, 1000, 1 << 18, (1 << 18) + 1, 3 << 18, 1000003}) {
    for (op_kind op : all_ops) {
      const reduction what = make_reduction(op, dtype::f32, nan_policy::omit);
      const array_layout layout{dtype::f32, {length}, false};
      const plan unknown =
          make_plan(what, normalise(make_view(nullptr, dtype::f32, {1}), {0}, order_of(op)), {}, host::traits(1));
      const std::vector<std::byte> memory = random_memory(layout, random);
      outcome first;
      for (int threads : {1, 4}) {
        test::behaviour how;
        how.random_access = false;
        how.unknown_length = true;
        test::memory_source source(layout, memory, how);
        stream::host_options options;
        options.threads = threads;
        const outcome found =
            outcome_of(unknown, [&](void* out) { EXPECT_EQ(stream::run_host(unknown, source, out, options), length); });
        if (threads == 1) first = found;
        EXPECT_EQ(first.data, found.data);
        EXPECT_EQ(first.error, found.error);
      }
      if (length == 0 && !has_identity(op)) {
        EXPECT_NE(first.error.find("of no elements"), std::string::npos) << first.error;
        continue;
      }
      if (op == op_kind::prod) continue;
      const plan known = make_plan(what, normalise(view_of(layout), {0}, order_of(op)), {}, host::traits(1));
      EXPECT_EQ(outcome_of(known, [&](void* out) { host::run(known, memory.data(), out); }).data, first.data);
    }
  }
}
