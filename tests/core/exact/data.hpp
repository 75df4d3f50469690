// Data for tests of exact sums: families that are hard on exponents, on cancellation or on range, in every format.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/dtype.hpp"
#include "random_bits.hpp"

namespace multifold::testing_data {

using testing_oracle::bits_of;
using testing_oracle::format_of;
using testing_oracle::from_bits;

using engine = test::random_bits;

template <floating_storage T>
constexpr std::uint64_t sign_bit = std::uint64_t{1} << (8 * sizeof(T) - 1);
template <floating_storage T>
constexpr std::uint64_t infinity_bits = ((std::uint64_t{2} * format_of<T>().bias) + 1)
                                        << (format_of<T>().precision - 1);

template <floating_storage T>
T negated(T x) {
  return from_bits<T>(bits_of(x) ^ sign_bit<T>);
}

/// The nearest T; the largest finite one beyond the range.
template <floating_storage T>
T clamped(double x) {
  std::uint64_t bits = testing_oracle::rounded_by<T>([&](mpfr_t y) { return mpfr_set_d(y, x, MPFR_RNDN); });
  if ((bits & ~sign_bit<T>) == infinity_bits<T>) --bits;
  return from_bits<T>(bits);
}

template <floating_storage T>
T random_finite(engine& random) {
  while (true) {
    const std::uint64_t bits = random() >> (64 - 8 * sizeof(T));
    if ((bits & ~sign_bit<T>) < infinity_bits<T>) return from_bits<T>(bits);
  }
}

template <floating_storage T>
struct data_set {
  std::string name;
  std::vector<T> values;
};

template <floating_storage T, class F>
std::vector<T> generated(int count, F&& next) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = next(i);
  return values;
}

/// Families of ordinary data.
template <floating_storage T>
std::vector<data_set<T>> ordinary_data(engine& random, int count) {
  std::vector<data_set<T>> sets;
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  sets.push_back({"normal", generated<T>(count, [&](int) { return clamped<T>(normal(random)); })});
  sets.push_back({"uniform", generated<T>(count, [&](int) { return clamped<T>(uniform(random)); })});
  for (const double sigma : {1.0, 10.0, 50.0}) {
    sets.push_back({"lognormal " + std::to_string(sigma),
                    generated<T>(count, [&](int) { return clamped<T>(std::exp(sigma * normal(random))); })});
  }
  sets.push_back(
      {"geometric", generated<T>(count, [&](int i) { return clamped<T>(std::ldexp(i % 2 ? -1. : 1., -i)); })});
  double mean = 0;
  for (const T x : sets[1].values) mean += to_double(x) / count;
  std::vector<T> centred;
  for (const T x : sets[1].values) centred.push_back(clamped<T>(to_double(x) - mean));
  sets.push_back({"x - mean", centred});
  return sets;
}

/// Families that only exact sums get right.
template <floating_storage T>
std::vector<data_set<T>> hard_data(engine& random, int count) {
  std::vector<data_set<T>> sets;
  const T largest = from_bits<T>(infinity_bits<T> - 1);
  const T zero = from_bits<T>(0), smallest = from_bits<T>(1);
  const std::uint64_t subnormals = (std::uint64_t{1} << (format_of<T>().precision - 1)) - 1;
  sets.push_back({"any finite bits", generated<T>(count, [&](int) { return random_finite<T>(random); })});
  sets.push_back({"subnormal", generated<T>(count, [&](int) {
                    return from_bits<T>((random() & subnormals) | (random() % 2 != 0 ? sign_bit<T> : 0));
                  })});
  sets.push_back({"largest finite", std::vector<T>(static_cast<std::size_t>(count), largest)});
  sets.push_back({"largest finite, cancelling",
                  generated<T>(count, [&](int i) { return i % 2 != 0 ? negated(largest) : largest; })});
  sets.push_back({"zeros", generated<T>(count, [&](int) {
                    if (random() % 10 == 0) return random_finite<T>(random);
                    return random() % 2 != 0 ? zero : negated(zero);
                  })});
  std::vector<T> sorted = sets[0].values;
  std::sort(sorted.begin(), sorted.end(), [](T a, T b) { return to_double(a) < to_double(b); });
  sets.push_back({"sorted upwards", sorted});
  std::reverse(sorted.begin(), sorted.end());
  sets.push_back({"sorted downwards", sorted});
  std::vector<T> opposite = sets[0].values;
  for (const T x : sets[0].values) opposite.push_back(negated(x));
  std::shuffle(opposite.begin(), opposite.end(), random);
  opposite.push_back(smallest);
  sets.push_back({"x and -x and the smallest subnormal", opposite});
  return sets;
}

/// Two vectors whose dot product has about this condition number: Ogita, Rump, Oishi, SISC 26 (2005), algorithm 6.1.
inline std::pair<std::vector<double>, std::vector<double>> ill_conditioned_dot(engine& random, int count,
                                                                               double log2_condition) {
  std::uniform_real_distribution<double> uniform(-1, 1), unit(0, 1);
  const int half = count / 2;
  std::vector<double> x, y;
  mpz_class dot = 0;
  const auto append = [&](double a, double b) {
    x.push_back(a);
    y.push_back(b);
    dot += testing_oracle::units_of(a, -1074) * testing_oracle::units_of(b, -1074);
  };
  for (int i = 0; i < half; ++i) {
    int e = static_cast<int>(std::round(unit(random) * log2_condition / 2));
    if (i == 0) e = static_cast<int>(std::round(log2_condition / 2)) + 1;
    if (i == half - 1) e = 0;
    append(std::ldexp(uniform(random), e), std::ldexp(uniform(random), e));
  }
  for (int i = half; i < count; ++i) {
    const int e = static_cast<int>(std::round(log2_condition / 2 * (count - 1 - i) / (count - 1 - half)));
    const double a = std::ldexp(uniform(random), e);
    const double so_far = from_bits<double>(testing_oracle::nearest<double>(dot, -2148));
    append(a, (std::ldexp(uniform(random), e) - so_far) / a);
  }
  std::vector<std::size_t> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::pair<std::vector<double>, std::vector<double>> shuffled;
  for (const std::size_t i : order) {
    shuffled.first.push_back(x[i]);
    shuffled.second.push_back(y[i]);
  }
  return shuffled;
}

}  // namespace multifold::testing_data
