// Both engines on one array: the bits of the CPU alone, whichever took which part of it.
#include "stream/device/sharing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "host/engine.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/error.hpp"
#include "multifold/trace.hpp"
#include "random_bits.hpp"
#include "stream/device/problem.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::memory_source;
using test::problem;

class device_sharing : public test::needs_device {};

enum class kept_in { pageable, pinned, source };

std::vector<std::byte> by_host(const plan& p, const operands& data) {
  std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)));
  host::run(make_plan(p.what, p.form, {}, host::traits(1)), data, results.data());
  return results;
}

// The bits of arbitrary elements, which are hard on exact sums, but for NaN and infinities.
std::vector<std::byte> rough_numbers(dtype type, std::int64_t count, std::uint64_t seed) {
  std::vector<std::byte> bytes = test::small_numbers(type, count, seed);
  if (type != dtype::f32 && type != dtype::f64) return bytes;
  test::random_bits random(seed);
  visit_dtype(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      for (std::int64_t i = 0; i < count; ++i) {
        const T x = static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                              static_cast<int>(random() % 60) - 100));
        std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
      }
    }
  });
  return bytes;
}

stream::streamed expect_agreement(const plan& p, const problem& shape, kept_in where, stream::host_options options) {
  const std::int64_t count = shape.elements();
  memory_source x(shape.layout, rough_numbers(shape.layout.type, count, 7));
  memory_source y(shape.layout, rough_numbers(shape.layout.type, count, 8));
  const bool two = takes_two_arrays(p.what.op);
  const std::int64_t bytes = count * item_bytes(shape.layout.type);
  cuda::pinned_buffer pinned_x(where == kept_in::pinned ? bytes : 0), pinned_y(where == kept_in::pinned ? bytes : 0);
  stream::inputs input = two ? stream::inputs(x, y) : stream::inputs(x);
  operands data{x.data(), two ? y.data() : nullptr};
  const std::vector<std::byte> expected = by_host(p, data);
  if (where == kept_in::pinned) {
    std::memcpy(pinned_x.data(), x.data(), static_cast<std::size_t>(bytes));
    std::memcpy(pinned_y.data(), y.data(), static_cast<std::size_t>(bytes));
    data = {pinned_x.data(), two ? pinned_y.data() : nullptr};
  }
  if (where != kept_in::source) input.memory = data;
  std::vector<std::byte> got(expected.size(), std::byte{0xa5});
  const stream::streamed done = stream::run_shared(p, input, got.data(), options);
  EXPECT_EQ(got, expected) << name(p.what.op) << " of " << to_string(shape.layout.extents) << ", "
                           << static_cast<int>(where) << ", " << options.threads << " threads, " << done.on_device
                           << " on the GPU";
  EXPECT_EQ(done.elements, count);
  return done;
}

// Lets the GPU have a share of arrays that are so small that the CPU would be done before it is open.
trace_sink slow_host() {
  return [](const trace_event& event) {
    if (event.kind == trace_kind::reduce && event.worker >= 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
  };
}

struct shares {
  int both = 0;  // problems of which each engine had a part
  std::int64_t threads = 0;

  void run(const problem& shape, op_kind op, kept_in where) {
    stream::host_options options;
    options.threads = static_cast<int>(threads++ % 4) + 1;
    options.memory_bytes = INT64_C(16) << 20;
    options.trace = slow_host();
    const stream::streamed done = expect_agreement(shape.plan_of(op), shape, where, options);
    EXPECT_EQ(done.note, "");
    both += done.on_device > 0 && done.on_device < done.elements;
  }
};

constexpr kept_in every_place[]{kept_in::pageable, kept_in::pinned, kept_in::source};

TEST_F(device_sharing, gives_the_bits_of_the_host) {
  shares all;
  for (const problem& shape : {problem(dtype::f32, {3'000'001}, {0}), problem(dtype::f64, {2'000'003}, {0})}) {
    for (const kept_in where : every_place) {
      for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::argmin, op_kind::dot}) all.run(shape, op, where);
    }
  }
  EXPECT_GT(all.both, 0);
}

TEST_F(device_sharing, of_every_operation) {
  shares all;
  const problem reals(dtype::f32, {2'000'001}, {0}), integers(dtype::i16, {4'000'003}, {0});
  for (const op_kind op : {op_kind::min, op_kind::max, op_kind::argmax, op_kind::norm1, op_kind::norm2, op_kind::var,
                           op_kind::std, op_kind::cov, op_kind::describe}) {
    all.run(reals, op, every_place[all.threads % 3]);
    all.run(integers, op, every_place[all.threads % 3]);
  }
  all.run(integers, op_kind::sum, kept_in::pinned);
  all.run(integers, op_kind::mean, kept_in::pageable);
  EXPECT_GT(all.both, 0);
}

// One row, few rows that stay open together, and many that are units; rows and columns in either order of memory.
TEST_F(device_sharing, of_rows_and_columns) {
  shares all;
  for (const problem& shape : std::vector<problem>{{dtype::f32, {3, 900'001}, {1}},
                                                   {dtype::f32, {200, 20'001}, {1}},
                                                   {dtype::i16, {100'003, 17}, {1}},
                                                   {dtype::i8, {65, 70'001}, {1}},
                                                   {dtype::f32, {70'001, 33}, {0}},
                                                   {dtype::f32, {101, 20'011}, {0}},
                                                   {dtype::f32, {11, 200'003}, {0}},
                                                   {dtype::f32, {5, 3000, 101}, {1}},
                                                   {dtype::u8, {70, 301, 151}, {1}},
                                                   {dtype::f64, {1001, 997}, {0}, true},
                                                   {dtype::f64, {1001, 997}, {1}, true},
                                                   {dtype::f32, {2, 600'001}, {0}},
                                                   {dtype::u8, {1'600'003, 1}, {1}}}) {
    all.run(shape, op_kind::sum, every_place[all.threads % 3]);
    all.run(shape, all.threads % 4 < 2 ? op_kind::argmax : op_kind::std, every_place[all.threads % 3]);
  }
  EXPECT_GT(all.both, 0);
}

TEST_F(device_sharing, of_a_few_elements) {
  for (const std::int64_t count : {0, 1, 2, 31, 4097}) {
    const problem shape(dtype::f32, {count}, {0});
    for (const kept_in where : every_place) expect_agreement(shape.plan_of(op_kind::sum), shape, where, {});
  }
}

TEST_F(device_sharing, starts_from_initial_values_and_counts_what_is_no_nan) {
  const problem shape(dtype::f32, {3'000'001}, {0});
  stream::host_options options;
  options.threads = 2;
  options.trace = slow_host();
  plan p = shape.plan_of(op_kind::sum);
  p.what.initial = {true, false, 0, 0.1};
  expect_agreement(p, shape, kept_in::pinned, options);
  for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
    p = shape.plan_of(op_kind::mean);
    p.what.nan = nan;
    expect_agreement(make_plan(p.what, p.form, {}, p.engine), shape, kept_in::pageable, options);
  }
}

TEST_F(device_sharing, refuses_what_has_other_bits_in_another_order) {
  const problem shape(dtype::f32, {100'000}, {0}), backwards(dtype::f32, {90, 110}, {0, 1}, true);
  memory_source x(shape.layout, test::small_numbers(dtype::f32, 100'000, 7));
  float result = 0;
  plan p = shape.plan_of(op_kind::sum);
  p.what.numerics = accuracy::fast;
  EXPECT_THROW(stream::run_shared(p, x, &result), unsupported_error);
  EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::prod), x, &result), unsupported_error);
  EXPECT_THROW(stream::run_shared(backwards.plan_of(op_kind::argmax), x, &result), unsupported_error);
  test::behaviour pipe;
  pipe.random_access = false;
  memory_source stream(shape.layout, test::small_numbers(dtype::f32, 100'000, 7), pipe);
  EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::sum), stream, &result), unsupported_error);
  stream::host_options options;
  options.way = transfer::copy;
  EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::sum), x, &result, options), unsupported_error);
}

TEST_F(device_sharing, passes_on_what_a_source_throws) {
  const problem shape(dtype::f32, {3'000'001}, {0});
  for (const std::int64_t at : {0, 1'500'000, 3'000'000}) {
    test::behaviour how;
    how.fails_at = at;
    memory_source x(shape.layout, test::small_numbers(dtype::f32, 3'000'001, 7), how);
    float result = 0;
    stream::host_options options;
    options.threads = 3;
    EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::sum), x, &result, options), io_error);
  }
}

TEST_F(device_sharing, stops_when_it_is_told_to) {
  const problem shape(dtype::f32, {3'000'001}, {0});
  memory_source x(shape.layout, test::small_numbers(dtype::f32, 3'000'001, 7));
  float result = 0;
  for (const int chunks : {0, 3}) {
    std::stop_source stop;
    std::atomic<int> told{0};
    stream::host_options options;
    options.threads = 2;
    options.stop = stop.get_token();
    options.trace = [&](const trace_event&) {
      if (++told >= chunks) stop.request_stop();
    };
    if (chunks == 0) stop.request_stop();
    EXPECT_THROW(stream::run_shared(shape.plan_of(op_kind::sum), x, &result, options), cancelled_error);
  }
}

TEST_F(device_sharing, tells_of_all_that_was_read_and_never_less_than_before) {
  const problem shape(dtype::f32, {5'000'001}, {0});
  memory_source x(shape.layout, test::small_numbers(dtype::f32, 5'000'001, 7));
  float result = 0;
  std::int64_t last = 0, copied = 0;
  std::mutex mutex;
  stream::host_options options;
  options.threads = 2;
  options.progress = [&](std::int64_t bytes) {
    EXPECT_GE(bytes, last);
    last = bytes;
  };
  std::int64_t reduced = 0;
  options.trace = [&](const trace_event& event) {
    const std::lock_guard lock(mutex);
    if (event.kind == trace_kind::reduce) reduced += event.bytes;
    if (event.kind == trace_kind::copy) copied += event.bytes;
  };
  const stream::streamed done = stream::run_shared(shape.plan_of(op_kind::sum), x, &result, options);
  EXPECT_EQ(last, 4 * shape.elements());
  EXPECT_EQ(reduced, 4 * shape.elements());
  EXPECT_EQ(copied, 4 * done.on_device);
}

}  // namespace
}  // namespace multifold
