// Sums of a few numbers beside the superaccumulator: whatever is rounded has its bits, and hardly anything is not.
#include "multifold/exact/short_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/ops/exact_sum.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using engine = testing_data::engine;

template <floating_storage T>
class short_sums : public ::testing::Test {};

using formats = ::testing::Types<bf16, float, double>;
TYPED_TEST_SUITE(short_sums, formats);

// As a thread of a tile adds them.
template <floating_storage T>
short_sum sum_of(const std::vector<T>& x) {
  if (x.size() == 1) return short_sum::of(to_double(x[0]));
  short_sum sum = short_sum::of(to_double(x[0]), to_double(x[1]));
  for (std::size_t i = 2; i < x.size(); ++i) sum.add(to_double(x[i]));
  return sum;
}

template <floating_storage T>
bool rounds(op_kind op, const short_sum& sum, std::int64_t count, T& out) {
  const double reciprocal = 1 / static_cast<double>(count);
  if (op == op_kind::mean) {
    return sum.rest == 0 ? detail::round_mean(sum.pair(), count, reciprocal, out)
                         : detail::round_mean_if_certain(sum, count, reciprocal, out);
  }
  if (sum.rest != 0) return detail::round_if_certain(sum, out);
  out = detail::nearest<T>(sum.pair());
  return true;
}

// Whether sum and mean are known; those that are have to be right.
template <floating_storage T>
int known(const std::vector<T>& x) {
  exact_sum<T> exact;
  for (const T each : x) exact.add(each);
  const short_sum sum = sum_of(x);
  int found = 0;
  for (const op_kind op : {op_kind::sum, op_kind::mean}) {
    T out{};
    if (!rounds(op, sum, static_cast<std::int64_t>(x.size()), out)) continue;
    ++found;
    const T expected = round_to<T>(finish_scalar(op, exact, {}));
    std::string text;
    for (const T each : x) text += std::to_string(bits_of(each)) + " ";
    EXPECT_EQ(bits_of(out), bits_of(expected)) << (op == op_kind::mean ? "mean of " : "sum of ") << text;
  }
  return found;
}

// A few neighbours of what is there, in any order.
template <floating_storage T>
std::vector<T> some_of(engine& random, const std::vector<T>& data) {
  std::vector<T> x(1 + random() % 12);
  const std::size_t first = random() % data.size();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = data[(first + i) % data.size()];
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

TYPED_TEST(short_sums, of_any_data_are_those_of_the_accumulator) {
  engine random(1201);
  int all = 0, found = 0;
  for (int round = 0; round < 300 && !this->HasFailure(); ++round) {
    auto sets = testing_data::ordinary_data<TypeParam>(random, 40);
    for (auto& each : testing_data::hard_data<TypeParam>(random, 40)) sets.push_back(each);
    for (const auto& set : sets) {
      for (int i = 0; i < 10; ++i, all += 2) found += known(some_of(random, set.values));
    }
  }
  EXPECT_GT(found, all * 8 / 10);
}

// Binades apart, so that sums of errors have errors, and no more than that.
TYPED_TEST(short_sums, that_leave_a_rest) {
  engine random(1202);
  int all = 0, found = 0;
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i, all += 2) {
    std::vector<TypeParam> x(3 + random() % 10);
    for (TypeParam& each : x) {
      const auto integer = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 60));
      each = detail::nearest<TypeParam>(std::ldexp(integer, static_cast<int>(random() % 120) - 120));
    }
    found += known(x);
  }
  EXPECT_GT(found, all * 99 / 100);
}

// Sums next to the middle of two numbers, above and below it by the least there is, and in it.
TYPED_TEST(short_sums, beside_ties) {
  engine random(1203);
  constexpr int precision = testing_oracle::format_of<TypeParam>().precision;
  const double last = std::ldexp(1.0, -precision);
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    const auto count = 3 + random() % 6;
    const double scale = random() % 2 == 0 ? 1.0 : static_cast<double>(count);
    std::vector<double> x{scale * (1 + 2 * last * static_cast<double>(random() % 100)), scale * last};
    while (x.size() < count) {
      const int down = static_cast<int>(random() % 120);
      x.push_back(random() % 3 == 0 ? 0.0 : std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, -precision - down));
    }
    std::vector<TypeParam> rounded;
    for (const double each : x) rounded.push_back(detail::nearest<TypeParam>(each));
    std::shuffle(rounded.begin(), rounded.end(), random);
    known(rounded);
  }
}

TYPED_TEST(short_sums, of_zeros_have_their_sign) {
  for (unsigned signs = 0; signs < 256; ++signs) {
    for (std::size_t count = 1; count <= 8; ++count) {
      std::vector<TypeParam> x;
      for (std::size_t i = 0; i < count; ++i)
        x.push_back(detail::nearest<TypeParam>((signs >> i & 1u) != 0 ? -0.0 : 0.0));
      EXPECT_EQ(known(x), 2);
    }
  }
  const TypeParam one = detail::nearest<TypeParam>(1.0), less = detail::nearest<TypeParam>(-1.0),
                  zero = detail::nearest<TypeParam>(-0.0);
  EXPECT_EQ(known<TypeParam>({one, less}), 2);
  EXPECT_EQ(known<TypeParam>({zero, less, zero, one}), 2);
}

TYPED_TEST(short_sums, of_what_is_not_finite_are_not_known) {
  engine random(1204);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20000; ++i) {
    std::vector<TypeParam> x(1 + random() % 12);
    for (TypeParam& each : x) each = testing_data::random_finite<TypeParam>(random);
    const double specials[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t k = 1 + random() % 2; k > 0; --k)
      x[random() % x.size()] = detail::nearest<TypeParam>(specials[random() % 3]);
    EXPECT_EQ(known(x), 0);
  }
}

// Partial sums beyond the greatest number, and sums that are by less than half a step.
TEST(short_sums_of_doubles, at_the_border_of_overflow) {
  engine random(1205);
  constexpr double largest = std::numeric_limits<double>::max();
  const double step = std::ldexp(1.0, 971);
  for (int i = 0; i < 40000; ++i) {
    std::vector<double> x;
    for (std::size_t k = 2 + random() % 6; k > 0; --k) {
      const double near[] = {largest, -largest, largest / 2, -largest / 2, step, step / 2, step / 4, -step / 2, -step};
      const double each = near[random() % 9];
      x.push_back(random() % 4 == 0 ? std::nextafter(each, 0.0) : each);
    }
    known(x);
  }
  // In parts that do not overflow by themselves.
  EXPECT_EQ(known<double>({largest, step / 4, step / 8, -largest}), 2);
  double out = 0;
  EXPECT_TRUE(rounds(op_kind::sum, sum_of<double>({largest, step / 4, step / 8}), 3, out));
  EXPECT_EQ(out, largest);
  EXPECT_TRUE(rounds(op_kind::sum, sum_of<double>({largest, step / 4, step / 4}), 3, out));
  EXPECT_EQ(out, std::numeric_limits<double>::infinity());
}

TEST(short_sums_of_doubles, means_by_powers_of_two_down_to_subnormals) {
  engine random(1206);
  for (int i = 0; i < 40000; ++i) {
    std::vector<double> x(std::size_t{1} << random() % 4);
    const int exponent = static_cast<int>(random() % 2200) - 1100;
    for (double& each : x)
      each = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> random() % 60), exponent);
    known(x);
  }
}

}  // namespace
}  // namespace multifold
