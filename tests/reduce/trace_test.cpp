#include "multifold/trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "multifold/multifold.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

// By chunk: the bytes that were read and reduced of it.
struct told {
  std::map<std::int64_t, std::int64_t> read, reduced;
  std::map<int, std::chrono::steady_clock::time_point> last;  // of each worker
  bool in_order = true;
  std::mutex mutex;

  trace_sink sink() {
    return [this](const trace_event& event) {
      const std::scoped_lock lock(mutex);
      (event.kind == trace_kind::read ? read : reduced)[event.chunk] += event.bytes;
      in_order = in_order && event.start <= event.end && event.start >= last[event.worker];
      last[event.worker] = event.end;
    };
  }
};

reduce_options traced(told& to) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.threads = 3;
  options.trace = to.sink();
  return options;
}

std::int64_t sum_of(const std::map<std::int64_t, std::int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0},
                         [](std::int64_t a, const auto& b) { return a + b.second; });
}

void expect_all(const told& what, std::int64_t bytes) {
  EXPECT_EQ(what.read, what.reduced);
  EXPECT_EQ(sum_of(what.read), bytes);
  EXPECT_EQ(what.read.begin()->first, 0);
  EXPECT_EQ(what.read.rbegin()->first + 1, static_cast<std::int64_t>(what.read.size()));
  EXPECT_TRUE(what.in_order);
}

TEST(trace, tells_of_every_byte_of_every_chunk_once) {
  const std::int64_t count = 3'000'001;
  for (const bool pipe : {false, true}) {
    for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{256} << 10}) {
      told what;
      reduce_options options = traced(what);
      options.memory_bytes = memory;
      vector_source<float> x(std::vector<float>(count, 1), {count}, "x", false, pipe);
      reduce(op_kind::sum, x, options);
      expect_all(what, count * 4);
    }
  }
}

TEST(trace, tells_of_results_that_all_chunks_add_to) {
  told what;
  const std::int64_t rows = 40, columns = 100'000;  // more accumulators than a chunk copies
  vector_source<float> x(std::vector<float>(rows * columns, 1), {rows, columns});
  reduce_options options = traced(what);
  options.axes = {0};
  reduce(op_kind::sum, x, options);
  expect_all(what, rows * columns * 4);
}

TEST(trace, counts_the_bytes_of_both_arrays) {
  told what;
  vector_source<float> x(std::vector<float>(1'000'000, 1), {1'000'000}),
      y(std::vector<float>(1'000'000, 1), {1'000'000});
  reduce(op_kind::dot, x, y, traced(what));
  expect_all(what, 8'000'000);
}

TEST(trace, may_end_the_reduction) {
  vector_source<float> x(std::vector<float>(3'000'000, 1), {3'000'000});
  reduce_options options;
  options.engine = engine_choice::host;
  options.trace = [](const trace_event& event) {
    if (event.chunk == 5) throw std::domain_error("enough");
  };
  EXPECT_THROW(reduce(op_kind::sum, x, options), std::domain_error);
}

}  // namespace
}  // namespace multifold
