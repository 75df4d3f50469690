// Weighted means of random arrays against rational numbers, over any axes, with weights of every magnitude.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

namespace oracle = testing_oracle;

template <floating_storage T>
double wide(T x) {
  if constexpr (sizeof(T) == 2) return to_double(x);
  else return x;
}

template <floating_storage T>
T narrow(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

template <class T>
struct WeightedOracle : testing::Test {};
using elements = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(WeightedOracle, elements);

// Numbers of exponents up to `spread` from 0, of either sign unless `positive`; some of few bits, whose quotients tie.
template <floating_storage T>
std::vector<T> random_numbers(test::random_bits& random, std::size_t count, int spread, bool positive) {
  std::uniform_real_distribution<double> significand(1, 2);
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::vector<T> numbers(count);
  for (T& x : numbers) {
    const double s = random() % 3 == 0 ? 1 + static_cast<double>(random() % 4) / 4 : significand(random);
    const double scaled = std::ldexp(s, exponent(random));
    x = narrow<T>(positive || random() % 2 == 0 ? scaled : -scaled);
  }
  return numbers;
}

TYPED_TEST(WeightedOracle, RandomArraysOverAnyAxes) {
  using T = TypeParam;
  test::random_bits random(20261128);
  const std::vector<std::vector<std::int64_t>> axes{{0}, {1}, {2}, {0, 2}, {0, 1, 2}};
  const int widest = std::is_same_v<T, double> ? 1000 : std::is_same_v<T, f16> ? 13 : 120;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<std::int64_t> extents;
    for (int i = 0; i < 3; ++i) extents.push_back(1 + static_cast<std::int64_t>(random() % 6));
    std::vector<std::int64_t> own = extents;  // of the weights
    for (std::int64_t& extent : own) extent = random() % 3 == 0 ? 1 : extent;
    const int spread = trial % 3 == 0 ? widest : static_cast<int>(random() % 8);
    const auto x = random_numbers<T>(random, static_cast<std::size_t>(element_count(extents)), spread, false);
    const auto w = random_numbers<T>(random, static_cast<std::size_t>(element_count(own)), spread, trial % 2 == 0);
    const array_view array = make_view(x.data(), extents), weights = make_view(w.data(), own);
    const array_view each = broadcast_to(weights, extents);
    const auto& reduced = axes[random() % axes.size()];
    std::vector<bool> gone(3);
    for (const std::int64_t axis : reduced) gone[static_cast<std::size_t>(axis)] = true;

    std::int64_t results = 1;
    for (std::size_t i = 0; i < 3; ++i) results *= gone[i] ? 1 : extents[i];
    std::vector<mpq_class> products(static_cast<std::size_t>(results)), divisors(products.size());
    for (std::int64_t at = 0; at < array.elements(); ++at) {
      const std::int64_t index[] = {at / (extents[1] * extents[2]), at / extents[2] % extents[1], at % extents[2]};
      std::int64_t result = 0, weight = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        weight += index[i] * each.strides[i];
        if (!gone[i]) result = result * extents[i] + index[i];
      }
      const mpq_class by = oracle::rational(wide(w[static_cast<std::size_t>(weight)]));
      divisors[static_cast<std::size_t>(result)] += by;
      products[static_cast<std::size_t>(result)] += by * oracle::rational(wide(x[static_cast<std::size_t>(at)]));
    }
    bool has_value = true;
    for (const mpq_class& divisor : divisors) has_value = has_value && divisor != 0;
    if (!has_value) continue;
    const reduce_result found = weighted_mean(array, weights, {.axes = reduced});
    ASSERT_EQ(found.values<T>().size(), products.size());
    for (std::size_t i = 0; i < products.size(); ++i) {
      const mpq_class mean = products[i] / divisors[i];
      const T zero = narrow<T>(divisors[i] < 0 ? -0.0 : 0.0);  // as IEEE 754 divides a sum of 0
      ASSERT_EQ(oracle::bits_of(found.values<T>()[i]), mean == 0 ? oracle::bits_of(zero) : oracle::nearest<T>(mean))
          << "trial " << trial << ", result " << i;
    }
  }
}

// Between two floats, and beside that by less than the leading bits show: a tie goes to the even one, which is below.
TEST(WeightedMean, TiesAndWhatIsBesideThem) {
  for (const float third : {0.0f, 1.0f, 2.0f, -2.0f}) {
    for (const float weight : {0.0f, 0x1p-149f}) {
      const std::vector<float> x{1, 1 + 0x1p-23f, third}, w{3, 3, weight};
      mpq_class sum = 0, divisor = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum += oracle::rational(x[i]) * oracle::rational(w[i]);
        divisor += oracle::rational(w[i]);
      }
      EXPECT_EQ(oracle::bits_of(mean(x, w)), oracle::nearest<float>(sum / divisor)) << third << " by " << weight;
    }
  }
}

}  // namespace
}  // namespace multifold
