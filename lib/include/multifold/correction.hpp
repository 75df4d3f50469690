// What comes off the count of a variance: an integer, or any other real number.
#pragma once

#include <concepts>
#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1 {

/// Degrees of freedom that come off the count of var, std, cov and describe. Integers and real numbers convert to it;
/// a real number is taken as exactly what it is: 0.1 is the double that is next to it.
class correction {
 public:
  constexpr correction() noexcept = default;
  template <std::integral I>
  constexpr correction(I value) noexcept
      : integer_(value > I{0} && static_cast<std::uint64_t>(value) > greatest ? INT64_MAX
                                                                              : static_cast<std::int64_t>(value)),
        real_(static_cast<double>(value)) {}
  template <std::floating_point F>
  requires(sizeof(F) <= sizeof(double)) constexpr correction(F value) noexcept : real_(value) {
    is_integer_ = real_ >= -0x1p63 && real_ < 0x1p63 && static_cast<double>(static_cast<std::int64_t>(real_)) == real_;
    if (is_integer_) integer_ = static_cast<std::int64_t>(real_);
  }

  /// As reduction::correction holds it: an integer of 0 or more as itself; any other number of 0 or more by the bits of
  /// its negative, which are an integer below least_held_integer.
  constexpr std::int64_t held() const noexcept { return is_integer_ ? integer_ : bit_copy<std::int64_t>(-real_); }
  static constexpr correction of_held(std::int64_t held) noexcept {
    return holds_integer(held) ? correction(held) : correction(-bit_copy<double>(held));
  }
  static constexpr bool holds_integer(std::int64_t held) noexcept { return held >= least_held_integer; }
  static constexpr std::int64_t least_held_integer = -(std::int64_t{1} << 52);  // the bits of -Inf

  /// As a double; an integer beyond 2^53 is rounded.
  constexpr double value() const noexcept { return real_; }
  constexpr bool is_integer() const noexcept { return is_integer_; }
  /// Whether it is one: finite, and not below 0.
  constexpr bool is_valid() const noexcept { return real_ >= 0 && real_ - real_ == 0; }

  constexpr bool operator==(const correction&) const noexcept = default;

 private:
  static constexpr auto greatest = static_cast<std::uint64_t>(INT64_MAX);

  std::int64_t integer_ = 0;  // 0 unless it is one
  double real_ = 0;
  bool is_integer_ = true;
};

}  // namespace multifold::inline v0_1
