// Central moments, skewness and kurtosis of every type of elements against rational numbers, to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/central_moments.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

namespace oracle = testing_oracle;
using testing_data::data_set;

template <storage_type T>
mpq_class exact(T x) {
  if constexpr (floating_storage<T>) return oracle::rational(to_double(x));
  else if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else if constexpr (std::is_signed_v<T>) return mpz_class(static_cast<long>(x));
  else return mpz_class(static_cast<unsigned long>(x));
}

mpq_class power_of(const mpq_class& x, int power) {
  mpq_class product = 1;
  for (int i = 0; i < power; ++i) product *= x;
  return product;
}

template <storage_type T>
class values {
 public:
  explicit values(const std::vector<T>& from) : count_(static_cast<unsigned long>(from.size())) {
    for (const T x : from) numbers_.push_back(exact(x));
    for (const mpq_class& x : numbers_) mean_ += x / count_;
  }
  mpq_class moment(int power, const mpq_class& shift) const {
    mpq_class sum = 0;
    for (const mpq_class& x : numbers_) sum += power_of(x - shift, power);
    return sum / count_;
  }
  mpq_class moment(int power) const { return moment(power, mean_); }
  const mpq_class& count() const { return count_; }

 private:
  std::vector<mpq_class> numbers_;
  mpq_class count_, mean_ = 0;
};

template <floating_storage R>
bool is_nan(R x) {
  return std::isnan(to_double(x));
}

template <floating_storage R>
void expect_skewness(R found, const mpq_class& square, bool negative) {
  const std::uint64_t bits = oracle::bits_of(found), sign = testing_data::sign_bit<R>;
  EXPECT_EQ((bits & sign) != 0, negative);
  EXPECT_TRUE(oracle::is_nearest_root<R>(square, bits & ~sign)) << to_double(found);
}

template <storage_type T>
void check(const std::vector<T>& x, const std::vector<T>& shifts) {
  using result = typename central_moment_fold<T>::result_type;
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const values<T> all(x);
  const mpq_class& n = all.count();
  for (int power = 1; power <= 4; ++power) {
    EXPECT_EQ(oracle::bits_of(moment<T>(view, power).value()), oracle::nearest<result>(all.moment(power))) << power;
    for (const T shift : shifts) {
      dyadic by;
      if constexpr (std::is_same_v<T, bool8>) by = shift.bits != 0;
      else by = shift;
      EXPECT_EQ(oracle::bits_of(moment<T>(view, power, {.shift = by}).value()),
                oracle::nearest<result>(all.moment(power, exact(shift))))
          << power;
    }
  }
  const mpq_class m2 = all.moment(2), m3 = all.moment(3), m4 = all.moment(4);
  if (m2 == 0) {
    EXPECT_TRUE(is_nan(skewness<T>(view).value()) && is_nan(kurtosis<T>(view).value()));
    EXPECT_TRUE(is_nan(skewness<T>(view, {.bias = false}).value()) &&
                is_nan(kurtosis<T>(view, {.bias = false}).value()));
    return;
  }
  const mpq_class square = m3 * m3 / (m2 * m2 * m2), ratio = m4 / (m2 * m2);
  expect_skewness(skewness<T>(view).value(), square, m3 < 0);
  EXPECT_EQ(oracle::bits_of(kurtosis<T>(view).value()), oracle::nearest<result>(ratio - 3));
  EXPECT_EQ(oracle::bits_of(kurtosis<T>(view, {.fisher = false}).value()), oracle::nearest<result>(ratio));
  if (n > 2)
    expect_skewness(skewness<T>(view, {.bias = false}).value(), n * (n - 1) / ((n - 2) * (n - 2)) * square, m3 < 0);
  else EXPECT_TRUE(is_nan(skewness<T>(view, {.bias = false}).value()));
  if (n > 3) {
    const mpq_class unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (ratio - 3) + 6);
    EXPECT_EQ(oracle::bits_of(kurtosis<T>(view, {.bias = false}).value()), oracle::nearest<result>(unbiased));
    EXPECT_EQ(oracle::bits_of(kurtosis<T>(view, {.fisher = false, .bias = false}).value()),
              oracle::nearest<result>(unbiased + 3));
  } else {
    EXPECT_TRUE(is_nan(kurtosis<T>(view, {.bias = false}).value()));
  }
}

template <class T>
struct CentralMomentsOracle : testing::Test {};
using real = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(CentralMomentsOracle, real);

TYPED_TEST(CentralMomentsOracle, OrdinaryAndHardData) {
  using T = TypeParam;
  test::random_bits random(20261129);
  for (const int count : {1, 2, 3, 4, 37}) {
    for (const auto& make : {testing_data::ordinary_data<T>, testing_data::hard_data<T>}) {
      for (const data_set<T>& set : make(random, count)) {
        SCOPED_TRACE(set.name + ", " + std::to_string(count));
        check<T>(set.values, {set.values[0], testing_data::random_finite<T>(random), T{}});
      }
    }
  }
}

// Bins are left and come again, and several lanes meet.
TYPED_TEST(CentralMomentsOracle, ManyElements) {
  using T = TypeParam;
  test::random_bits random(20261130);
  std::normal_distribution<double> normal;
  for (const double sigma : {0.1, 10.0}) {
    std::vector<T> x;
    for (int i = 0; i < 9'000; ++i) {
      const double magnitude = std::exp(sigma * normal(random));
      x.push_back(testing_data::clamped<T>(random() % 2 != 0 ? magnitude : -magnitude));
    }
    check<T>(x, {x[0]});
  }
}

// What d^k adds to is halfway between two numbers, or beside that by next to nothing.
TYPED_TEST(CentralMomentsOracle, Ties) {
  using T = TypeParam;
  constexpr int precision = oracle::format_of<T>().precision;
  test::random_bits random(20261131);
  const T least = oracle::from_bits<T>(1), zero{};
  int ties = 0;
  for (int power = 1; power <= 4; ++power) {
    const double last = std::min(std::pow(2, double{precision + 1} / power), std::pow(2, double{precision}));
    const double first = std::pow(2, double{precision} / power);
    for (int trial = 0; trial < 50; ++trial) {
      const double d = 2 * std::floor(std::uniform_real_distribution<double>(first, last)(random) / 2) + 1;
      const T x = testing_data::clamped<T>(d);
      if (to_double(x) != d) continue;
      const mpq_class product = power_of(exact(x), power);
      if (product < power_of(2, precision) || product > power_of(2, precision + 1)) continue;
      ++ties;
      check<T>({x}, {zero});
      check<T>({x, zero}, {zero});
      check<T>({x, least}, {zero});
      check<T>({x, testing_data::negated(least)}, {zero});
      check<T>({x, testing_data::negated(x)}, {zero});
      check<T>({x, testing_data::negated(x), x, testing_data::negated(x)}, {least, x});
    }
  }
  EXPECT_GT(ties, 50);
}

// One 1 among 2^(2 j) zeros has the skewness 2^j - 2^-j and the kurtosis 2^(2 j) - 4 + 2^(-2 j).
TEST(CentralMomentsOracle, RatiosThatTie) {
  std::vector<f16> x(4097);
  x[17] = to_f16(1.0f);
  check<f16>(x, {});
  EXPECT_EQ(to_float(skewness(x)), 64);  // of 4095/64
  x.resize(65);
  check<f16>(x, {});
  EXPECT_EQ(to_float(kurtosis(x)), 60);  // of 3841/64
}

template <class T>
struct CentralMomentsOfIntegers : testing::Test {};
using integers = testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CentralMomentsOfIntegers, integers);

TYPED_TEST(CentralMomentsOfIntegers, AnyAndTheLimits) {
  using T = TypeParam;
  test::random_bits random(20261132);
  for (const int count : {1, 2, 3, 4, 100, 5'000}) {
    std::vector<T> any, limits;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t bits = random();
      if constexpr (std::is_same_v<T, bool8>) {
        any.push_back({static_cast<std::uint8_t>(bits & 1u)});
        limits.push_back({static_cast<std::uint8_t>(bits >> 1 & 255u)});
      } else {
        any.push_back(static_cast<T>(bits >> random() % 64));
        limits.push_back(bits % 2 != 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
      }
    }
    check<T>(any, {any[0], limits[0]});
    check<T>(limits, {any[0], limits[0]});
  }
}

// A shift of more bits than any element.
TEST(CentralMomentsOracle, ShiftsOfOtherTypes) {
  const std::vector<float> x{1, 2, 4, -7};
  const std::vector<std::int8_t> y{1, 2, 4, -7};
  for (const double shift : {0.1, 1e300, -0x1p-1074}) {
    for (int power = 1; power <= 4; ++power) {
      const mpq_class expected = values<float>(x).moment(power, oracle::rational(shift));
      EXPECT_EQ(oracle::bits_of(moment(x, power, {.shift = shift})), oracle::nearest<float>(expected));
      EXPECT_EQ(oracle::bits_of(moment(y, power, {.shift = shift})), oracle::nearest<double>(expected));
    }
  }
}

}  // namespace
}  // namespace multifold
