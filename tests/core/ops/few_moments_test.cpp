// Moments of a few elements beside rational arithmetic: whatever is written is right, whatever is known within an error
// is, and of ordinary data hardly anything is not.
#include "multifold/ops/moments/careful_moments.hpp"
#include "multifold/ops/moments/few_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::rational;
using engine = testing_data::engine;

template <floating_storage T>
class few_moments : public ::testing::Test {};
using formats = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(few_moments, formats);

template <floating_storage T>
struct pairs {
  std::vector<T> x, y;
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
};

struct rational_sums {
  mpq_class x, y, products;
};

template <moment_set Set, floating_storage T>
rational_sums sums_of(const pairs<T>& of) {
  rational_sums all;
  for (std::size_t i = 0; i < of.x.size(); ++i) {
    const mpq_class a = rational(to_double(of.x[i])), b = rational(to_double(of.y[i]));
    all.x += Set == moment_set::absolute ? mpq_class(abs(a)) : a;
    all.y += b;
    all.products += a * b;
  }
  return all;
}

template <moment_set Set>
mpq_class wanted(const rational_sums& of, std::int64_t n, std::int64_t correction) {
  if (Set == moment_set::absolute) return of.x;
  if (Set == moment_set::squares || Set == moment_set::products) return of.products;
  return (n * of.products - of.x * (Set == moment_set::joint ? of.y : of.x)) / mpq_class(n * (n - correction));
}

template <floating_storage T>
bool is_right(const mpq_class& value, bool has_root, T out) {
  if (value == 0) return to_double(out) == 0;
  return has_root ? testing_oracle::is_nearest_root<T>(value, bits_of(out))
                  : bits_of(out) == testing_oracle::nearest<T>(value);
}

bool is_within(const mpq_class& value, const detail::near_value& of) {
  if (!(of.error < std::numeric_limits<double>::infinity())) return true;
  const mpq_class off = value - rational(of.high) - rational(of.low);
  return abs(off) <= rational(of.error);
}

// How many results are known; those that are have to be right.
template <moment_set Set, floating_storage T>
int rounded(const pairs<T>& of, const rational_sums& exact, std::int64_t correction) {
  const auto n = of.size();
  detail::few_moments<T, Set> sums(of.x[0], of.y[0]);
  for (std::size_t i = 0; i < of.x.size(); ++i) sums.add(of.x[i], of.y[i]);
  const double reciprocal = detail::rough_reciprocal(n, correction);
  int found = 0;
  for (const bool has_root : {false, true}) {
    if (has_root && Set != moment_set::squares && Set != moment_set::spread) continue;
    T out{};
    if (!sums.round(static_cast<int>(n), reciprocal, has_root, out)) continue;
    ++found;
    EXPECT_TRUE(is_right(wanted<Set>(exact, n, correction), has_root, out))
        << n << " elements, set " << static_cast<int>(Set) << ", root " << has_root << ": " << to_double(out);
  }
  return found;
}

// All of a description, or nothing.
template <floating_storage T>
bool described(const pairs<T>& of, const rational_sums& exact, std::int64_t correction) {
  const auto n = of.size();
  detail::few_statistics<T> sums(of.x[0]);
  for (const T& each : of.x) sums.add(each);
  detail::statistics_of<T> all{};
  const double reciprocal = 1 / static_cast<double>(n), of_divisor = detail::rough_reciprocal(n, correction);
  const bool whole = sums.round(static_cast<int>(n), reciprocal, of_divisor, all);
  if (all.sums_are_certain) {
    EXPECT_TRUE(is_right(exact.x, false, all.sum)) << n;
    EXPECT_TRUE(is_right(mpq_class(exact.x / n), false, all.mean)) << n;
    EXPECT_TRUE(is_right(exact.products, true, all.norm2)) << n;
  }
  if (whole) {
    EXPECT_TRUE(is_right(wanted<moment_set::spread>(exact, n, correction), true, all.std)) << n;
  }
  return whole;
}

template <moment_set Set, class Sums, floating_storage T>
bool near(Sums sums, const pairs<T>& of, const rational_sums& exact) {
  for (std::size_t i = 0; i < of.x.size(); ++i) sums.add(of.x[i], of.y[i]);
  detail::few_totals totals;
  if (!sums.totals(totals)) return false;
  if (sums_elements(Set)) {
    EXPECT_TRUE(is_within(exact.x, totals.x)) << of.size();
  }
  if (Set == moment_set::joint) {
    EXPECT_TRUE(is_within(exact.y, totals.y)) << of.size();
  }
  if (sums_products(Set)) {
    EXPECT_TRUE(is_within(exact.products, totals.products)) << of.size();
  }
  return true;
}

// Of all that could be, one for each set.
template <moment_set Set, floating_storage T>
void check_set(pairs<T> of, int& known, int& all) {
  if (!reads_two_arrays(Set)) of.y = of.x;
  const rational_sums exact = sums_of<Set>(of);
  if constexpr (sizeof(T) < 8 && Set != moment_set::description) {
    known += rounded<Set>(of, exact, of.size() > 1 ? 1 : 0);
    all += Set == moment_set::squares || Set == moment_set::spread ? 2 : 1;
  } else if constexpr (sizeof(T) < 8) {
    known += described(of, exact, of.size() > 1 ? 1 : 0) ? 1 : 0;
    all += 1;
  } else {
    known += near<Set>(detail::few_moments<T, Set>(T{}, T{}), of, exact) ? 1 : 0;
    all += 1;
  }
  near<Set>(detail::careful_moments<T, Set>{}, of, exact);
}
template <floating_storage T>
void check(const pairs<T>& of, int& known, int& all) {
  check_set<moment_set::absolute>(of, known, all);
  check_set<moment_set::squares>(of, known, all);
  check_set<moment_set::products>(of, known, all);
  check_set<moment_set::spread>(of, known, all);
  check_set<moment_set::joint>(of, known, all);
  check_set<moment_set::description>(of, known, all);
}

template <floating_storage T, class Next>
double known_share(int trials, engine& random, const Next& next) {
  int known = 0, all = 0;
  for (int i = 0; i < trials && !::testing::Test::HasFailure(); ++i) {
    pairs<T> of;
    for (auto n = 1 + random() % detail::most_few; n > 0; --n) {
      of.x.push_back(next());
      of.y.push_back(next());
    }
    check(of, known, all);
  }
  return static_cast<double>(known) / all;
}

TYPED_TEST(few_moments, of_ordinary_data_are_known) {
  engine random(1401);
  std::normal_distribution<double> normal;
  const auto next = [&] { return testing_data::clamped<TypeParam>(normal(random)); };
  EXPECT_GT(known_share<TypeParam>(3000, random, next), 0.98);
}

TYPED_TEST(few_moments, of_numbers_that_are_close_to_each_other) {
  engine random(1402);
  std::normal_distribution<double> normal;
  for (const double scale : {0x1p-3, 0x1p-10, 0x1p-22, 0x1p-45}) {
    known_share<TypeParam>(500, random, [&] { return detail::nearest<TypeParam>(3 + scale * normal(random)); });
  }
}

TYPED_TEST(few_moments, of_small_integers_and_zeros) {
  engine random(1403);
  for (const unsigned most : {2u, 5u, 100u}) {
    known_share<TypeParam>(1000, random, [&] {
      const double x = static_cast<double>(random() % most);
      return detail::nearest<TypeParam>(random() % 2 == 0 ? -x : x);
    });
  }
}

TYPED_TEST(few_moments, of_an_outlier) {
  engine random(1404);
  std::normal_distribution<double> normal;
  known_share<TypeParam>(2000, random, [&] {
    return testing_data::clamped<TypeParam>(normal(random) * (random() % 8 == 0 ? 0x1p40 : 0x1p-7));
  });
}

TYPED_TEST(few_moments, of_any_finite_bits) {
  engine random(1405);
  known_share<TypeParam>(3000, random, [&] { return testing_data::random_finite<TypeParam>(random); });
}

// Of any doubles whose greatest are known all sums are, but for zeros.
template <moment_set Set>
void check_far(const pairs<double>& of) {
  int x_top = 0, y_top = 0;
  const auto see = [](int& top, const std::vector<double>& all) {
    double greatest = 0;
    for (const double x : all) greatest = std::max(greatest, std::fabs(x));
    if (greatest > 0) std::frexp(greatest, &top);
  };
  see(x_top, of.x);
  see(y_top, reads_two_arrays(Set) ? of.y : of.x);
  int product_top = -3000;
  detail::product_scan scan;
  for (std::size_t i = 0; i < of.x.size(); ++i) {
    int a = 0, b = 0;
    std::frexp(of.x[i], &a);
    std::frexp(reads_two_arrays(Set) ? of.y[i] : of.x[i], &b);
    product_top = std::max(product_top, a + b);
    scan.see(of.x[i], reads_two_arrays(Set) ? of.y[i] : of.x[i]);
  }
  detail::careful_moments<double, Set> sums(x_top, y_top, scan);
  for (std::size_t i = 0; i < of.x.size(); ++i) sums.add(of.x[i], reads_two_arrays(Set) ? of.y[i] : of.x[i]);
  detail::few_totals totals;
  ASSERT_TRUE(sums.totals(totals));
  pairs<double> known = of;
  if (!reads_two_arrays(Set)) known.y = known.x;
  const rational_sums exact = sums_of<Set>(known);
  const auto check_sum = [](mpq_class value, int up, int top, const detail::near_value& found) {
    if (up > 0) mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(up));
    else mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(-up));
    EXPECT_TRUE(is_within(value, found));
    EXPECT_LE(found.error, std::ldexp(0x1p-90, top - up));
  };
  if (!reads_two_arrays(Set)) y_top = x_top;
  const int x_up = detail::near_exponent(x_top);
  if (sums_elements(Set)) check_sum(exact.x, x_up, x_top, totals.x);
  if (Set == moment_set::joint) check_sum(exact.y, detail::near_exponent(y_top), y_top, totals.y);
  if (sums_products(Set)) check_sum(exact.products, totals.up, std::max(product_top, totals.up - 180), totals.products);
  if (!reads_two_arrays(Set)) {
    EXPECT_EQ(totals.up, sums_products(Set) ? 2 * x_up : x_up);
  }
}

TEST(careful_moments, of_any_doubles_are_within_their_errors) {
  engine random(1406);
  for (int trial = 0; trial < 2000 && !::testing::Test::HasFailure(); ++trial) {
    pairs<double> of;
    const double scale = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0x1p-900 : 0x1p-1060;
    for (auto n = 1 + random() % detail::most_few; n > 0; --n) {
      of.x.push_back(testing_data::random_finite<double>(random));
      of.y.push_back(std::fmod(testing_data::random_finite<double>(random), 1.0) * scale);
    }
    check_far<moment_set::absolute>(of);
    check_far<moment_set::squares>(of);
    check_far<moment_set::products>(of);
    check_far<moment_set::spread>(of);
    check_far<moment_set::joint>(of);
    check_far<moment_set::description>(of);
    std::swap(of.x, of.y);
    check_far<moment_set::spread>(of);
    check_far<moment_set::joint>(of);
  }
}

template <floating_storage T, moment_set Set, class Sums>
bool knows(Sums sums, T x) {
  sums.add(x, x);
  sums.add(T{}, T{});
  if constexpr (requires(T & out) { sums.round(2, 0.5, false, out); }) {
    T out{};
    const bool root = (Set == moment_set::squares || Set == moment_set::spread) && sums.round(2, 0.5, true, out);
    return sums.round(2, 0.5, false, out) || root;
  } else {
    detail::few_totals totals;
    return sums.totals(totals);
  }
}

// Whether anything is known of it twice, or of it and zeros.
template <floating_storage T, moment_set Set>
bool knows_few(T x) {
  if constexpr (sizeof(T) < 8 && Set == moment_set::description) {
    detail::few_statistics<T> sums(x);
    sums.add(x);
    sums.add(x);
    detail::statistics_of<T> out{};
    return sums.round(2, 0.5, 0.5, out) || out.sums_are_certain;
  } else {
    return knows<T, Set>(detail::few_moments<T, Set>(T{}, T{}), x) ||
           knows<T, Set>(detail::few_moments<T, Set>(x, x), x);
  }
}

TYPED_TEST(few_moments, of_what_is_not_finite_are_not_known) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {infinity, -infinity, nan}) {
    const auto x = detail::nearest<TypeParam>(value);
    const auto check_one = [&]<moment_set Set>() {
      EXPECT_FALSE((knows_few<TypeParam, Set>(x)));
      EXPECT_FALSE((knows<TypeParam, Set>(detail::careful_moments<TypeParam, Set>{}, x)));
    };
    check_one.template operator()<moment_set::absolute>();
    check_one.template operator()<moment_set::squares>();
    check_one.template operator()<moment_set::products>();
    check_one.template operator()<moment_set::spread>();
    check_one.template operator()<moment_set::joint>();
    check_one.template operator()<moment_set::description>();
  }
}

TYPED_TEST(few_moments, of_negative_zeros_alone_are_such) {
  for (const double one : {1.0, 0x1p-9}) {
    const auto x = detail::nearest<TypeParam>(one), zero = detail::nearest<TypeParam>(-0.0);
    detail::careful_moments<TypeParam, moment_set::products> sums;
    sums.add(x, zero);
    sums.add(zero, x);
    EXPECT_TRUE(sums.minus_products());
    sums.add(zero, zero);
    EXPECT_FALSE(sums.minus_products());
  }
}

}  // namespace
}  // namespace multifold
