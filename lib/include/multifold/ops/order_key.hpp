// Order-preserving integers: every dtype is compared as a signed integer of its own width, which is exact,
// branch-free, the same on every machine, and puts NaN where the caller wants it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "multifold/dtype.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {

/// A byte of any dtype: the operation says whether it is true or not, or a number, and with a sign or without.
struct any_byte {
  std::uint8_t bits;
};
template <>
inline constexpr bool is_storage<any_byte> = true;

/// The type whose order is that of T once a policy turns the bits of keys: that of unsigned integers, and of truth, is
/// the order of signed integers of the same size then.
template <storage_type T>
using order_carrier = std::conditional_t<
    floating_storage<T>, T,
    std::conditional_t<sizeof(T) == 1, any_byte,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>>;

template <class T>
using key_of = std::conditional_t<
    sizeof(T) == 1, std::int8_t,
    std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

template <class Key>
inline constexpr Key least_key = std::numeric_limits<Key>::min();
template <class Key>
inline constexpr Key greatest_key = std::numeric_limits<Key>::max();

namespace detail {

// Bits of the largest finite magnitude's successor: anything above it is NaN.
template <floating_storage T>
inline constexpr key_of<T> infinity_bits = std::is_same_v<T, f16>     ? key_of<T>(0x7c00)
                                           : std::is_same_v<T, bf16>  ? key_of<T>(0x7f80)
                                           : std::is_same_v<T, float> ? static_cast<key_of<T>>(0x7f800000)
                                                                      : static_cast<key_of<T>>(0x7ff0000000000000ll);

}  // namespace detail

/// The bits of a number of floating point as an integer that ascends with it, -0 just below +0, and back.
template <std::signed_integral Key>
MULTIFOLD_HD constexpr Key ordered_bits(Key bits) {
  return static_cast<Key>(bits ^ ((bits >> (8 * sizeof(Key) - 1)) & greatest_key<Key>));
}

/// The key of `x`: ascending with x, -0 just below +0, `nan_key` for every NaN.
template <storage_type T>
MULTIFOLD_HD constexpr key_of<T> order_key(T x, key_of<T> nan_key) {
  using key = key_of<T>;
  if constexpr (std::is_same_v<T, bool8>) {
    return x.bits != 0 ? 1 : 0;
  } else if constexpr (floating_storage<T>) {
    const auto bits = bit_copy<key>(x);
    const key magnitude = static_cast<key>(bits & greatest_key<key>);
    return magnitude > detail::infinity_bits<T> ? nan_key : ordered_bits(bits);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<key>(static_cast<std::make_unsigned_t<key>>(x) ^
                            static_cast<std::make_unsigned_t<key>>(least_key<key>));
  } else {
    return x;
  }
}

/// The element whose key is `k` (which is not a NaN's).
template <storage_type T>
MULTIFOLD_HD constexpr T element_of_key(key_of<T> k) {
  if constexpr (floating_storage<T>) {
    return bit_copy<T>(ordered_bits(k));
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(static_cast<T>(k) ^ static_cast<T>(least_key<key_of<T>>));
  } else {
    return bit_copy<T>(k);
  }
}

/// The same as a scalar.
template <storage_type T>
MULTIFOLD_HD constexpr scalar value_of_key(key_of<T> k, std::int64_t count) {
  if constexpr (floating_storage<T>) return scalar::of_real(to_double(element_of_key<T>(k)), count);
  else if constexpr (std::is_same_v<T, bool8>) return scalar::of_integer(k, count);
  else return scalar::of_integer(element_of_key<T>(k), count);
}

}  // namespace multifold::inline v0_1
