// Sums: integers exactly in 128 bits, floating point in double. Mean is a sum that finish_scalar divides.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {

/// Sum of integers, exact for any length. A lane is the narrowest type that keeps up with memory.
template <storage_type T>
struct integer_sum {
  using value_type = T;
  using accumulator = int128_t;
  static constexpr bool order_free = true;

  static constexpr bool wide = sizeof(T) == 8;
  static constexpr bool no_sign = std::is_unsigned_v<T> || std::is_same_v<T, bool8>;
  using signed_lane =
      std::conditional_t<wide, int128_t, std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>>;
  using unsigned_lane =
      std::conditional_t<wide, int128_t, std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>>;
  using lane = std::conditional_t<no_sign, unsigned_lane, signed_lane>;
  // 2^7 * 2^24, 2^15 * 2^15 and 2^31 * 2^31 stay inside their lanes; 128 bits hold 2^63 of anything.
  static constexpr std::int64_t lane_capacity = sizeof(T) == 1   ? std::int64_t{1} << 23
                                                : sizeof(T) == 2 ? std::int64_t{1} << 15
                                                : sizeof(T) == 4 ? std::int64_t{1} << 31
                                                                 : INT64_MAX;

  MULTIFOLD_HD constexpr accumulator identity() const { return 0; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t) const { return widen(value_of(x)); }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a + b; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const { return scalar::of_integer(a, count); }

  /// Accumulators do not tell what their elements were, but for the dtype of their results.
  MULTIFOLD_HD constexpr auto merging() const {
    return integer_sum<std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>>{};
  }

  MULTIFOLD_HD constexpr lane lane_identity() const { return 0; }
  MULTIFOLD_HD constexpr lane absorb(lane l, T x, std::int64_t) const { return l + value_of(x); }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const { return static_cast<accumulator>(l); }

  MULTIFOLD_HD static constexpr lane value_of(T x) {
    if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
    else return static_cast<lane>(x);
  }
};

/// Sums in double of elements of any dtype.
struct merged_float_sum {
  using accumulator = double;
  dtype element;

  MULTIFOLD_HD constexpr accumulator identity() const { return -0.0; }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a + b; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    return scalar::of_real(count == 0 ? 0.0 : a, count);
  }
};

/// Sum of floating point in double. Starts at -0, the true identity, so that a sum of -0s is -0.
template <floating_storage T>
struct float_sum {
  using value_type = T;
  using accumulator = double;

  MULTIFOLD_HD constexpr accumulator identity() const { return -0.0; }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t) const { return to_double(x); }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a + b; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const { return merging().lower(a, count); }
  MULTIFOLD_HD constexpr merged_float_sum merging() const { return merged_float_sum{dtype_of<T>}; }
};

/// A sum in double, and of how many elements.
struct counted_sum {
  double sum;
  std::int64_t count;
};

/// Sum of the elements that are not NaN, with their count.
template <floating_storage T>
struct float_sum_omit {
  using value_type = T;
  using accumulator = counted_sum;

  MULTIFOLD_HD constexpr accumulator identity() const { return {-0.0, 0}; }
  MULTIFOLD_HD accumulator lift(T element, std::int64_t) const {
    // A mask: where this is a choice, GCC 12 vectorises sums with +0 in place of what is omitted, and -0 is lost.
    const double x = to_double(element);
    const std::uint64_t number = std::uint64_t{0} - static_cast<std::uint64_t>(x == x);
    const std::uint64_t bits = (bit_copy<std::uint64_t>(x) & number) | (~number & std::uint64_t{1} << 63);
    return {bit_copy<double>(bits), x == x ? 1 : 0};
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t) const {
    return scalar::of_real(a.count == 0 ? 0.0 : a.sum, a.count);
  }
  MULTIFOLD_HD constexpr float_sum_omit<double> merging() const { return {}; }
};

}  // namespace multifold::inline v0_1
