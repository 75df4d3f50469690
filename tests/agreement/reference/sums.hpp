// Exact sums of the reference: the significands of every exponent in an integer of their own, put together at the end.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agreement/reference/number.hpp"

namespace multifold::agreement {

/// The sum of significand * 2^exponent, for exponents of elements and of products of two; 2^60 terms fit.
class bucket_sum {
 public:
  void add(std::int64_t significand, int exponent) {
    buckets_[static_cast<std::size_t>(exponent - least)] += significand;
    low_ = std::min(low_, exponent);
    high_ = std::max(high_, exponent);
  }
  /// A product of two significands has 106 bits, and is added as two halves.
  void add_product(std::int64_t a, std::int64_t b, int exponent) {
    const int128_t product = static_cast<int128_t>(a) * b;
    add(static_cast<std::int64_t>(product & ((std::int64_t{1} << 53) - 1)), exponent);
    add(static_cast<std::int64_t>(product >> 53), exponent + 53);
  }
  /// The sum as numerator * 2^exponent, and an empty sum again.
  exact_number take();

 private:
  static constexpr int least = -2148, greatest = 2048;
  std::vector<int128_t> buckets_ = std::vector<int128_t>(greatest - least + 1);
  int low_ = greatest, high_ = least;
};

/// A sum of floating point with its special values.
struct real_sum {
  bucket_sum finite;
  bool nan = false, positive_infinity = false, negative_infinity = false;
  bool not_negative_zero = false;  // some term is not -0
  std::int64_t count = 0;

  void add(const real& x);
  void add_magnitude(const real& x);
  void add_product(const real& x, const real& y);
  bool special() const { return nan || positive_infinity || negative_infinity; }
  /// NaN for NaN and for infinities of both signs; -0 for nothing but -0. To be cleared before it is used again.
  exact_number take();
  void clear();
};

/// A sum of integers of 64 bits and of products of two of them.
struct integer_sum_of_terms {
  int128_t low = 0, high = 0;  // of 64 bits each
  std::int64_t count = 0;

  void add(int128_t x) {
    low += x;
    ++count;
  }
  void add_product(int128_t x, int128_t y) {
    const bool negative = (x < 0) != (y < 0);
    const auto magnitude = static_cast<uint128_t>(x < 0 ? -x : x) * static_cast<uint128_t>(y < 0 ? -y : y);
    const auto below = static_cast<int128_t>(static_cast<std::uint64_t>(magnitude));
    const auto above = static_cast<int128_t>(magnitude >> 64);
    low += negative ? -below : below;
    high += negative ? -above : above;
    ++count;
  }
  mpz_class total() const { return (integer_of(high) << 64) + integer_of(low); }
};

}  // namespace multifold::agreement
