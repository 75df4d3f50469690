// Products: integers exactly up to 64 bits and a sign, floating point in binary64.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/ops.hpp"

namespace multifold {

/// Product of integers. A zero wins over any overflow, wherever it stands; any other overflow is final, because no
/// factor makes a magnitude smaller.
template <storage_type T>
struct integer_product {
  using value_type = T;
  struct accumulator {
    std::uint64_t magnitude;
    std::uint32_t negative;
    std::uint32_t overflow;
  };

  MULTIFOLD_HD constexpr accumulator identity() const { return {1, 0, 0}; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t) const {
    if constexpr (std::is_same_v<T, bool8>) return {x.bits != 0 ? 1u : 0u, 0, 0};
    else if constexpr (std::is_unsigned_v<T>) return {static_cast<std::uint64_t>(x), 0, 0};
    else return {static_cast<std::uint64_t>(x < 0 ? -static_cast<int128_t>(x) : x), x < 0 ? 1u : 0u, 0};
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const {
    // Magnitudes that overflowed are kept at 1, so a magnitude of 0 is always a true zero.
    if (a.magnitude == 0 || b.magnitude == 0) return {0, 0, 0};
    const uint128_t product = static_cast<uint128_t>(a.magnitude) * b.magnitude;
    const bool overflow = a.overflow != 0 || b.overflow != 0 || (product >> 64) != 0;
    return {overflow ? 1u : static_cast<std::uint64_t>(product), a.negative ^ b.negative, overflow ? 1u : 0u};
  }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    if (a.overflow != 0) return scalar::failed(scalar::kind::overflow, count);
    const auto magnitude = static_cast<int128_t>(a.magnitude);
    return scalar::of_integer(a.negative != 0 ? -magnitude : magnitude, count);
  }
};

/// Product of floating point in binary64. `nan_value` replaces NaN elements: NaN itself, or 1 to omit them.
template <floating_storage T>
struct float_product {
  using value_type = T;
  using accumulator = double;
  double nan_value;

  MULTIFOLD_HD constexpr accumulator identity() const { return 1.0; }
  MULTIFOLD_HD accumulator lift(T element, std::int64_t) const {
    const double x = to_double(element);
    return x != x ? nan_value : x;
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a * b; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const { return scalar::of_real(a, count); }
};

}  // namespace multifold
