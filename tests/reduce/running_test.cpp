// Sums that grow have the bits of the sum of everything.
#include "multifold/running.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

TEST(running, has_the_bits_of_the_whole_in_any_parts) {
  test::random_bits random(5);
  std::vector<float> x(5000);
  for (float& element : x) {
    element = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 100) - 50);
  }
  running<float> one, other;
  std::size_t at = 0;
  while (at < x.size()) {
    const std::size_t count = std::min<std::size_t>(random() % 700, x.size() - at);
    (random() % 2 == 0 ? one : other).add(std::span(x).subspan(at, count));
    at += count;
  }
  other.merge(running<float>(std::span<const std::byte>(one.save())));
  EXPECT_EQ(other.count(), 5000);
  EXPECT_EQ(other.sum(), sum(x));
  EXPECT_EQ(other.mean(), mean(x));
}

TEST(running, of_nothing) {
  EXPECT_EQ(running<double>().sum(), 0);
  EXPECT_TRUE(std::isnan(running<double>().mean()));
  EXPECT_EQ(running<double>().count(), 0);
}

TEST(running, of_integers_goes_past_64_bits_and_back) {
  running<std::int64_t> total;
  total.add(std::vector<std::int64_t>{INT64_MAX, INT64_MAX});
  EXPECT_THROW(total.sum(), overflow_error);
  total.add(std::vector<std::int64_t>{-INT64_MAX, -7});
  EXPECT_EQ(total.sum(), INT64_MAX - 7);
  EXPECT_EQ(total.count(), 4);
}

TEST(running, takes_sources_and_views) {
  running<float> total;
  vector_source<float> pipe({1, 2, 3}, {-1});
  total.add(pipe);
  const std::vector<float> x{1, 9, 2, 9};
  total.add(make_view(x.data(), {2}, {2}));
  EXPECT_EQ(total.sum(), 9);
}

TEST(running, refuses_states_of_something_else) {
  const std::vector<double> x{1};
  EXPECT_THROW(running<float>(std::span<const std::byte>(running<double>().save())), format_error);
  EXPECT_THROW(running<double>(std::span<const std::byte>(reduce_to_state(op_kind::max, as_view(x)).bytes())),
               format_error);
  EXPECT_THROW(running<float>().add(as_view(x)), format_error);
}

}  // namespace
}  // namespace multifold
