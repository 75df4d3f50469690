// Tables with many results out of sources: any axes and order in little memory, and what memory they take.
#include "stream/host/column_blocks.hpp"

#include <gtest/gtest.h>

#include "host/engine.hpp"
#include "host/exact/arrays.hpp"
#include "host/fold.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"
#include "stream/memory_source.hpp"

namespace {

using namespace multifold;
using bytes = std::vector<std::byte>;

constexpr int share = test::sanitized ? 6 : 1;

struct table {
  array_layout layout;
  bytes memory;

  array_view view() const {
    array_view v = make_view(memory.data(), layout.type, layout.extents);
    if (layout.fortran_order) v.strides = fortran_strides(layout.extents);
    return v;
  }
};

table random_table(dtype type, test::family f, const std::vector<std::int64_t>& extents, test::random_bits& random) {
  table t{{type, extents, random() % 2 == 0}, {}};
  const std::int64_t elements = element_count(extents);
  t.memory.resize(static_cast<std::size_t>(elements * item_bytes(type)));
  if (is_floating(type)) test::fill_family(type, f, t.memory.data(), elements, random);
  else test::fill(type, t.memory.data(), elements, random);
  return t;
}

bytes reduced(const plan& p, source& x, source* y, const stream::host_options& options) {
  bytes results(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)), std::byte{0xab});
  const stream::inputs input = y != nullptr ? stream::inputs(x, *y) : stream::inputs(x);
  stream::run_host(p, input, results.data(), options);
  return results;
}

constexpr op_kind ops[] = {op_kind::sum, op_kind::mean, op_kind::min, op_kind::argmax,   op_kind::norm1,
                           op_kind::var, op_kind::std,  op_kind::cov, op_kind::describe, op_kind::sumsq};

void check(const reduction& what, const table& x, const table& y, const std::vector<std::int64_t>& axes,
           bool expected_blockd, test::random_bits& random) {
  const plan p = make_plan(what, normalise(x.view(), axes, order_of(what.op)), {}, host::traits(1));
  const bool two = takes_two_arrays(what.op);
  bytes expected(static_cast<std::size_t>(p.form.results() * result_bytes(what)), std::byte{0xab});
  host::run(p, {x.memory.data(), two ? y.memory.data() : nullptr}, expected.data());
  for (const std::int64_t limit : {INT64_C(0), INT64_C(1) << 20, INT64_C(1) << 18}) {
    for (const int threads : {1, 4}) {
      test::memory_source first(x.layout, x.memory), second(y.layout, y.memory);
      stream::host_options options;
      options.threads = threads;
      options.memory_bytes = limit;
      const stream::inputs input = two ? stream::inputs(first, second) : stream::inputs(first);
      EXPECT_TRUE(!expected_blockd || limit == 0 || stream::worth_column_blocks(p, input, options));
      ASSERT_EQ(reduced(p, first, two ? &second : nullptr, options), expected)
          << name(what.op) << " of " << name(what.input) << " " << to_string(x.layout.extents)
          << (x.layout.fortran_order ? " fortran" : "") << " axes " << to_string(axes) << " memory " << limit
          << " threads " << threads << " seed next " << random();
    }
  }
}

}  // namespace

TEST(host_blocks, tables_of_any_shape) {
  test::random_bits random(31);
  for (int i = 0; i < 24 / share && !HasFatalFailure(); ++i) {
    const op_kind op = ops[random() % std::size(ops)];
    const dtype type = random() % 4 == 0 ? dtype::i16 : random() % 2 == 0 ? dtype::f64 : dtype::f32;
    reduction what = make_reduction(op, type, random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
    if (what.nan == nan_policy::omit && (op == op_kind::argmax)) what.nan = nan_policy::propagate;
    const auto f = static_cast<test::family>(random() % test::families);
    // Up to four axes, the widest of them kept.
    std::vector<std::int64_t> extents = {
        static_cast<std::int64_t>(20000 + random() % 60000), static_cast<std::int64_t>(1 + random() % 4),
        static_cast<std::int64_t>(1 + random() % 3), static_cast<std::int64_t>(1 + random() % 2)};
    const std::int64_t widest = extents[0];
    std::shuffle(extents.begin(), extents.end(), random);
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < 4; ++axis) {
      if (extents[static_cast<std::size_t>(axis)] != widest && random() % 3 != 0) axes.push_back(axis);
    }
    const table x = random_table(type, f, extents, random);
    table y = random_table(type, f, extents, random);
    y.layout = x.layout;
    check(what, x, y, axes, false, random);
  }
}

TEST(host_blocks, the_slowest_axis_of_a_wide_table) {
  test::random_bits random(32);
  for (const op_kind op : {op_kind::sum, op_kind::var, op_kind::cov, op_kind::describe}) {
    for (const test::family f : {test::family::normal, test::family::any_finite}) {
      table x = random_table(dtype::f64, f, {3, 70001}, random), y = random_table(dtype::f64, f, {3, 70001}, random);
      x.layout.fortran_order = y.layout.fortran_order = false;
      check(make_reduction(op, dtype::f64), x, y, {0}, true, random);
    }
  }
}

// Rounded sums and products keep the bits that they have where memory is plenty.
TEST(host_blocks, rounded_sums_are_cut_as_ever) {
  test::random_bits random(33);
  for (const std::int64_t rows : {2, 3, 9, 40}) {
    for (const dtype type : {dtype::f16, dtype::f32, dtype::f64}) {
      table x = random_table(type, test::family::normal, {rows, 150007}, random);
      x.layout.fortran_order = false;
      const reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::fast);
      const plan p = make_plan(what, normalise(x.view(), {0}, order_of(what.op)), {}, host::traits(1));
      bytes expected;
      for (const std::int64_t limit : {INT64_C(0), INT64_C(1) << 20}) {
        for (const int threads : {1, 5}) {
          test::memory_source source(x.layout, x.memory);
          stream::host_options options;
          options.threads = threads;
          options.memory_bytes = limit;
          EXPECT_EQ(stream::worth_column_blocks(p, source, options), limit != 0);
          const bytes found = reduced(p, source, nullptr, options);
          if (expected.empty()) expected = found;
          ASSERT_EQ(found, expected) << rows << " rows of " << name(type) << ", memory " << limit;
        }
      }
    }
  }
}

// A pipe has all results open at once: what that takes is said before anything is read.
TEST(host_blocks, a_pipe_says_what_it_would_take) {
  test::random_bits random(34);
  table x = random_table(dtype::f32, test::family::normal, {1, 2000003}, random);
  x.layout = {dtype::f32, {2, 1000001}, false};
  x.memory.resize(2 * 1000001 * 4);
  const reduction what = make_reduction(op_kind::describe, dtype::f32);
  const plan p = make_plan(what, normalise(x.view(), {0}, order_of(what.op)), {}, host::traits(1));
  test::behaviour how;
  how.random_access = false;
  test::memory_source source(x.layout, x.memory, how);
  stream::host_options options;
  options.memory_bytes = 1 << 20;
  try {
    reduced(p, source, nullptr, options);
    FAIL() << "it was read";
  } catch (const out_of_memory& e) {
    const std::string each = std::to_string(host::make_fold(what).acc_bytes());
    EXPECT_NE(std::string(e.what()).find("1000001 partial results of " + each + " bytes"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(source.largest_read, 0);
  options.memory_bytes = INT64_C(1) << 28;
  test::memory_source again(x.layout, x.memory, how);
  bytes expected(static_cast<std::size_t>(p.form.results() * result_bytes(what)));
  host::run(p, x.memory.data(), expected.data());
  EXPECT_EQ(reduced(p, again, nullptr, options), expected);
}

// A column that ends early, and one that cannot be read, fail as they do elsewhere.
TEST(host_blocks, failures_of_the_source) {
  test::random_bits random(35);
  table x = random_table(dtype::f64, test::family::normal, {3, 70001}, random);
  x.layout.fortran_order = false;
  const reduction what = make_reduction(op_kind::var, dtype::f64);
  const plan p = make_plan(what, normalise(x.view(), {0}, order_of(what.op)), {}, host::traits(1));
  test::behaviour fails, ends;
  fails.fails_at = 150000;
  ends.ends_at = 200000;
  test::memory_source failing(x.layout, x.memory, fails), ending(x.layout, x.memory, ends);
  EXPECT_THROW(reduced(p, failing, nullptr, {}), io_error);
  EXPECT_THROW(reduced(p, ending, nullptr, {}), format_error);
  stream::host_options cancelled;
  std::stop_source stop;
  stop.request_stop();
  cancelled.stop = stop.get_token();
  test::memory_source whole(x.layout, x.memory);
  EXPECT_THROW(reduced(p, whole, nullptr, cancelled), cancelled_error);
}
