// Exact sums of the chunk pipeline: the bits of the engine in memory, whatever the chunks, the threads and the memory.
#include <gtest/gtest.h>

#include <numeric>

#include "host/engine.hpp"
#include "host/exact/arrays.hpp"
#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"
#include "stream/host/stream.hpp"
#include "stream/memory_source.hpp"

namespace {

using namespace multifold;
using test::family;
using bytes = std::vector<unsigned char>;

constexpr dtype reals[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

constexpr int share = test::sanitized ? 8 : 1;

reduction random_reduction(test::random_bits& random) {
  return test::exact_reduction(random() % 2 == 0 ? op_kind::sum : op_kind::mean, reals[random() % 4],
                               reals[random() % 4], random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
}

template <class Run>
bytes outcome_of(const plan& p, const Run& run) {
  bytes out(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)), 0xab);
  run(out.data());
  return out;
}

void check(const reduction& what, family f, const array_layout& layout, const std::vector<std::int64_t>& axes,
           test::random_bits& random) {
  array_view view = make_view(nullptr, layout.type, layout.extents);
  if (layout.fortran_order) view.strides = fortran_strides(layout.extents);
  const plan p = make_plan(what, normalise(view, axes, order_of(what.op)), {}, host::traits(1));
  std::vector<std::byte> memory(static_cast<std::size_t>(view.elements() * item_bytes(layout.type)));
  test::fill_family(layout.type, f, memory.data(), view.elements(), random);
  const bool small = view.elements() * item_bytes(layout.type) < 200000;
  const bytes expected = outcome_of(p, [&](void* out) {
    if (small) interpret(p, memory.data(), out);
    else host::run(p, memory.data(), out);
  });
  for (bool random_access : {true, false}) {
    for (int threads : {1, 3}) {
      for (std::int64_t limit : {0, 1 << 18}) {
        test::behaviour how;
        how.random_access = random_access;
        test::memory_source source(layout, memory, how);
        stream::host_options options;
        options.threads = threads;
        options.memory_bytes = limit;
        bytes found;
        try {
          found = outcome_of(p, [&](void* out) { stream::run_host(p, source, out, options); });
        } catch (const out_of_memory&) {
          // What is read once, in order, has the sums of all results open.
          ASSERT_TRUE(!random_access && limit > 0 && p.form.results() > 10000);
          continue;
        }
        ASSERT_EQ(expected, found) << name(what.op) << " of " << name(what.input) << " " << to_string(layout.extents)
                                   << (layout.fortran_order ? " fortran" : "") << " axes " << to_string(axes)
                                   << " family " << static_cast<int>(f) << " threads " << threads;
      }
      if (small) break;
    }
  }
}

}  // namespace

TEST(host_stream_exact, small_arrays_of_any_shape) {
  test::random_bits random(std::random_device{}());
  for (int i = 0; i < 1500 / share && !HasFatalFailure(); ++i) {
    const reduction what = random_reduction(random);
    array_layout layout{what.input, std::vector<std::int64_t>(random() % 5), random() % 2 == 0};
    for (std::int64_t& extent : layout.extents) extent = static_cast<std::int64_t>(random() % 9);
    const auto axes = test::random_axes(static_cast<std::int64_t>(layout.extents.size()), random);
    check(what, static_cast<family>(random() % test::families), layout, axes, random);
  }
}

// Rows that begin and end inside chunks, and so many columns that chunks add to the same accumulators in turn.
TEST(host_stream_exact, rows_and_columns_of_several_chunks) {
  test::random_bits random(2);
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {{5, 70001}, {20, 20000}, {40000, 9}};
  constexpr int step = share > 1 ? 5 : 1;
  for (int f = 0; f < test::families && !HasFatalFailure(); f += step) {
    const auto [rows, width] = shapes[f % 3];
    for (std::int64_t axis : {0, 1}) {
      const reduction what = random_reduction(random);
      check(what, static_cast<family>(f), {what.input, {rows, width}, false}, {axis}, random);
    }
  }
}

TEST(host_stream_exact, streams_of_unknown_length) {
  test::random_bits random(3);
  for (int f = 0; f < test::families; ++f) {
    for (std::int64_t length : {0, 1, 1000, 300001}) {
      const reduction what = random_reduction(random);
      const array_layout layout{what.input, {length}, false};
      std::vector<std::byte> memory(static_cast<std::size_t>(length * item_bytes(what.input)));
      test::fill_family(what.input, static_cast<family>(f), memory.data(), length, random);
      const auto plan_of = [&](std::int64_t extent) {
        return make_plan(what, normalise(make_view(nullptr, what.input, {extent}), {0}, order_of(what.op)), {},
                         host::traits(1));
      };
      const plan known = plan_of(length), unknown = plan_of(1);
      const bytes expected = outcome_of(known, [&](void* out) { host::run(known, memory.data(), out); });
      for (int threads : {1, 4}) {
        test::behaviour how;
        how.random_access = false;
        how.unknown_length = true;
        test::memory_source source(layout, memory, how);
        stream::host_options options;
        options.threads = threads;
        ASSERT_EQ(expected, outcome_of(unknown, [&](void* out) { stream::run_host(unknown, source, out, options); }))
            << "family " << f << " length " << length;
      }
    }
  }
}
