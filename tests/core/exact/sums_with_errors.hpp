// Random numbers for sums whose errors are bounded, and what such a sum is off by.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "multifold/exact/finish.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "random_bits.hpp"

namespace test {

enum class kind { normal, far_apart, ascending, alike, negative, integers, zeros };

template <class T>
std::vector<T> numbers(random_bits& by, int count, kind of) {
  std::vector<T> all;
  const int spread = sizeof(T) == 8 ? 120 : 60;
  for (int i = 0; i < count; ++i) {
    const double significand = 1.0 + static_cast<double>(by() >> 12) * 0x1p-52, sign = by() % 2 == 0 ? 1.0 : -1.0;
    const auto put = [&](double x) { all.push_back(static_cast<T>(x)); };
    switch (of) {
      case kind::normal: put(sign * std::ldexp(significand, -static_cast<int>(by() % 12))); break;
      case kind::far_apart:
        put(sign * std::ldexp(significand, static_cast<int>(by() % (2 * static_cast<unsigned>(spread))) - spread));
        break;
      case kind::ascending: put(sign * std::ldexp(significand, i * 100 / count - 50)); break;
      case kind::alike: put(1000.0 + significand); break;
      case kind::negative: put(-1000.0 - significand); break;
      case kind::integers: put(sign * static_cast<double>(by() % 256)); break;
      case kind::zeros: put(by() % 8 == 0 ? sign : 0.0); break;
    }
  }
  return all;
}

/// How far high + low is from a sum, and whether that is within the bound.
inline void expect_within(multifold::exact_sum<double> sum, double high, double low, double error) {
  sum.add(-high);
  sum.add(-low);
  const double off = multifold::round_to<double>(multifold::exact_total(sum));
  EXPECT_LE(std::fabs(off), error) << high << " + " << low;
}

}  // namespace test
