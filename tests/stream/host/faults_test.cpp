// What goes wrong in a stream: errors of the source in any thread, early ends, cancellation, too little memory.
#include <gtest/gtest.h>

#include <mutex>

#include "host/engine.hpp"
#include "multifold/error.hpp"
#include "stream/host/stream.hpp"
#include "stream/memory_source.hpp"

namespace {

using namespace multifold;
using namespace std::chrono_literals;

constexpr std::int64_t columns = 50000;  // many results: the turnstile
constexpr std::int64_t rows = 100;

plan plan_over(std::int64_t axis) {
  const array_view view = make_view(nullptr, dtype::f32, {rows, columns});
  return make_plan(make_reduction(op_kind::sum, dtype::f32), normalise(view, {axis}, element_order::any), {},
                   host::traits(1));
}

test::memory_source source_with(const test::behaviour& how) {
  return {{dtype::f32, {rows, columns}, false}, std::vector<std::byte>(rows * columns * 4), how};
}

std::string message_of(const plan& p, source& input, const stream::host_options& options) {
  std::vector<float> results(static_cast<std::size_t>(p.form.results()));
  try {
    stream::run_host(p, input, results.data(), options);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST(host_faults, errors_of_the_source_reach_the_caller) {
  for (bool random_access : {true, false}) {
    for (std::int64_t axis : {0, 1}) {
      for (std::int64_t at = 0; at < rows * columns; at += 333333) {
        test::behaviour how;
        how.random_access = random_access;
        how.fails_at = at;
        test::memory_source source = source_with(how);
        stream::host_options options;
        options.threads = 4;
        EXPECT_EQ(message_of(plan_over(axis), source, options), "memory: read error at byte " + std::to_string(at * 4));
      }
    }
  }
}

TEST(host_faults, early_end) {
  for (bool random_access : {true, false}) {
    test::behaviour how;
    how.random_access = random_access;
    how.ends_at = 4999999;
    test::memory_source source = source_with(how);
    EXPECT_EQ(message_of(plan_over(1), source, {}), "memory: ends after 4999999 elements; expected 5000000");
  }
}

TEST(host_faults, cancellation_is_prompt) {
  for (bool random_access : {true, false}) {
    for (std::int64_t axis : {0, 1}) {
      test::behaviour how;
      how.random_access = random_access;
      how.delay = 20ms;
      test::memory_source source = source_with(how);
      std::stop_source stop;
      stream::host_options options;
      options.threads = 2;
      options.memory_bytes = 512 << 10;
      options.stop = stop.get_token();
      std::jthread later([&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
      });
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(message_of(plan_over(axis), source, options), "memory: the reduction was cancelled");
      EXPECT_LT(std::chrono::steady_clock::now() - start, 900ms);
    }
  }
}

TEST(host_faults, too_little_memory_is_said) {
  test::memory_source source = source_with({});
  stream::host_options options;
  options.memory_bytes = 1000;
  EXPECT_EQ(message_of(plan_over(0), source, options),
            "reading in chunks takes a buffer of 65536 bytes a thread, but at most 1000 are allowed: allow more");
  options.memory_bytes = 65536;
  EXPECT_EQ(message_of(plan_over(0), source, options), "");
  EXPECT_EQ(message_of(plan_over(1), source, options), "");
  EXPECT_LE(source.largest_read, 65536);
}

TEST(host_faults, progress_ascends_and_its_errors_end_the_run) {
  test::memory_source source = source_with({});
  stream::host_options options;
  options.threads = 4;
  std::vector<std::int64_t> seen;
  std::mutex one_at_a_time;
  options.progress = [&](std::int64_t bytes) {
    const std::unique_lock lock(one_at_a_time, std::try_to_lock);
    EXPECT_TRUE(lock.owns_lock());
    seen.push_back(bytes);
  };
  EXPECT_EQ(message_of(plan_over(1), source, options), "");
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), rows * columns * 4);

  options.progress = [](std::int64_t) { throw io_error("no more progress"); };
  EXPECT_EQ(message_of(plan_over(1), source, options), "no more progress");
}
