// A choice between two values without a branch: the compiler vectorises bits where it would not vectorise `?:`.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace multifold::inline v0_1::host {

#define MULTIFOLD_INLINE [[gnu::always_inline]] inline

template <int Bytes>
using bits_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
MULTIFOLD_INLINE T blend(bool first, T a, T b) {
  if constexpr (std::is_arithmetic_v<T>) {
    using bits = bits_of<sizeof(T)>;
    const bits mask = static_cast<bits>(-static_cast<bits>(first));
    return std::bit_cast<T>(static_cast<bits>((std::bit_cast<bits>(a) & mask) | (std::bit_cast<bits>(b) & ~mask)));
  } else {
    return first ? a : b;
  }
}

}  // namespace multifold::inline v0_1::host
