// Graphs of problems that come again: the same results, bounded, and shared by threads.
#include "multifold/graphs/graph_cache.hpp"

#include <atomic>
#include <thread>

#include "graphs/device/problems.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;
using graphs::graph_cache;

class graph_cache_on_device : public device_tests::device_test {};

std::vector<std::byte> room_for(const plan& p) {
  return std::vector<std::byte>(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)),
                                std::byte{device_tests::poison});
}

TEST_F(graph_cache_on_device, makes_a_graph_when_a_problem_comes_again) {
  random_engine rng(1);
  graph_cache cache;
  for (const problem& q : problems) {
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    for (int i = 0; i < 4; ++i) {
      const drawn_arrays drawn(p, rng);
      const device_arrays on_device(drawn);
      auto results = room_for(p);
      const bool ran = cache.run(p, on_device.data(), results.data());
      ASSERT_EQ(ran, i > 0);
      if (ran) {
        ASSERT_EQ(results, run_interpreted(p, drawn.host()));
      }
    }
  }
  EXPECT_EQ(cache.size(), 16u);
  cache.clear();
  EXPECT_EQ(cache.size(), 0u);
}

TEST_F(graph_cache_on_device, says_what_went_wrong_and_goes_on) {
  graph_cache cache;
  const plan p = problem{op_kind::sum, dtype::i64, {100'000}, {0}}.made();
  std::vector<std::int64_t> big(100'000, INT64_MAX), small(100'000, 3);
  const device_array too_much(std::as_bytes(std::span(big))), fits(std::as_bytes(std::span(small)));
  auto results = room_for(p);
  EXPECT_FALSE(cache.run(p, fits.data(), results.data()));
  const auto untouched = results;
  EXPECT_THROW(cache.run(p, too_much.data(), results.data()), overflow_error);
  EXPECT_EQ(results, untouched);
  EXPECT_TRUE(cache.run(p, fits.data(), results.data()));
  std::int64_t sum = 0;
  std::memcpy(&sum, results.data(), sizeof sum);
  EXPECT_EQ(sum, 300'000);
}

TEST_F(graph_cache_on_device, gives_results_of_any_bits) {
  // Those by which a result in pinned memory is told from none.
  constexpr auto none = static_cast<std::int64_t>(0xfff5'a5a5'fff5'a5a5u);
  graph_cache cache;
  for (const std::int64_t greatest : {none, std::int64_t{7}}) {
    std::vector<std::int64_t> x(5'000, INT64_MIN);
    x[1234] = greatest;
    const device_array array(std::as_bytes(std::span(x)));
    const plan p = problem{op_kind::max, dtype::i64, {5'000}, {0}}.made();
    for (int i = 0; i < 50; ++i) {
      std::int64_t result = 0;
      const bool ran = cache.run(p, array.data(), &result);
      ASSERT_TRUE(!ran || result == greatest) << result;
    }
  }
}

TEST_F(graph_cache_on_device, follows_what_is_on_the_stream) {
  graph_cache cache;
  const plan p = problem{op_kind::sum, dtype::f32, {1 << 20}, {0}}.made();
  const cuda::device_buffer data(4 << 20);
  const cuda::stream one, other;
  for (int i = 1; i < 40; ++i) {
    cudaStream_t on = i % 3 == 0 ? cudaStreamLegacy : (i % 3 == 1 ? one : other).get();
    cuda::check(cudaMemsetAsync(data.data(), i, 4 << 20, on));
    float result = 0, element;
    std::memset(&element, i, sizeof element);
    const bool ran = cache.run(p, {data.data(), nullptr}, &result, on);
    EXPECT_TRUE(!ran || result == element * (1 << 20)) << i;
    cuda::check(cudaStreamSynchronize(on));
  }
}

TEST_F(graph_cache_on_device, leaves_large_results_alone) {
  graph_cache cache({.graphs = 2, .graph_bytes = 4096});
  const plan p = problem{op_kind::sum, dtype::f32, {3'000, 17}, {1}}.made();
  cuda::device_buffer data(3'000 * 17 * 4);
  auto results = room_for(p);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(cache.run(p, data.data(), results.data()));
}

TEST_F(graph_cache_on_device, serves_many_threads) {
  random_engine rng(2);
  graph_cache cache({.graphs = 3});
  std::vector<plan> plans;
  std::vector<std::unique_ptr<device_arrays>> arrays;
  std::vector<std::vector<std::byte>> expected;
  for (std::size_t i = 0; i < 6; ++i) {
    plans.push_back(problems[i].made());
    const drawn_arrays drawn(plans.back(), rng);
    arrays.push_back(std::make_unique<device_arrays>(drawn));
    expected.push_back(run_interpreted(plans.back(), drawn.host()));
  }
  std::atomic<int> wrong{0}, ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t which = (i * 7 + static_cast<std::size_t>(t)) % plans.size();
        auto results = room_for(plans[which]);
        if (!cache.run(plans[which], arrays[which]->data(), results.data())) continue;
        ++ran;
        if (results != expected[which]) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(ran, 2000);
  EXPECT_LE(cache.size(), 3u);
}

}  // namespace
}  // namespace multifold::graphs_tests
