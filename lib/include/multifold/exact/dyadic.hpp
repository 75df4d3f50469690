// Binary fractions of any size, exactly: sums, products and quotients for the last steps of exact reductions whose
// values outgrow natural.hpp. Not a general big-integer library.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

struct exact_value;

/// An integer times a power of two.
/// Memory: 32 bytes, and 8 for each 64 bits between the lowest and the highest one.
class MULTIFOLD_EXPORT dyadic {
 public:
  dyadic() = default;
  /// Numbers as exactly what they are. Throws: unsupported_error for NaN and infinities.
  template <class T>
  requires(std::is_integral_v<T> && sizeof(T) <= 8) dyadic(T x)  // NOLINT: numbers convert
      : dyadic(magnitude_of(x), 0, static_cast<int128_t>(x) < 0) {}
  dyadic(double x);                                    // NOLINT
  dyadic(float x) : dyadic(static_cast<double>(x)) {}  // NOLINT
  dyadic(f16 x);                                       // NOLINT
  dyadic(bf16 x);                                      // NOLINT
  /// +-significand * 2^exponent.
  dyadic(std::uint64_t significand, int exponent, bool negative);

  bool zero() const noexcept { return limbs_.empty(); }
  bool negative() const noexcept { return negative_; }

  /// Adds (the sum of limbs[i] * 2^(64 i)) * 2^exponent to the magnitude, in place.
  void grow(std::span<const std::uint64_t> limbs, int exponent);
  /// Adds the magnitude of another number to that of this one.
  void grow(const dyadic& other) { grow(other.limbs_, 64 * other.base_); }

  dyadic operator-() const {
    dyadic opposite = *this;
    opposite.negative_ = !negative_ && !zero();
    return opposite;
  }
  MULTIFOLD_EXPORT friend dyadic operator+(const dyadic& a, const dyadic& b);
  friend dyadic operator-(const dyadic& a, const dyadic& b) { return a + -b; }
  MULTIFOLD_EXPORT friend dyadic operator*(const dyadic& a, const dyadic& b);

  MULTIFOLD_EXPORT friend exact_value quotient(const dyadic& a, const dyadic& b);

 private:
  static std::uint64_t magnitude_of(int128_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); }
  int top() const { return base_ + static_cast<int>(limbs_.size()); }
  std::uint64_t limb(int place) const {  // times 2^(64 place)
    return place < base_ || place >= top() ? 0 : limbs_[static_cast<std::size_t>(place - base_)];
  }
  void reserve(int from, int to);
  void subtract(const dyadic& less);
  void trim();

  // The magnitude is the sum of limbs_[i] * 2^(64 (base_ + i)).
  std::vector<std::uint64_t> limbs_;
  int base_ = 0;
  bool negative_ = false;
};

/// a / b for b other than 0, as it rounds to any format.
MULTIFOLD_EXPORT exact_value quotient(const dyadic& a, const dyadic& b);

}  // namespace multifold::inline v0_1
