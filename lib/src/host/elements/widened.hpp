// Elements one by one, 16-bit floating point through a buffer of floats: two short conversions vectorise well where
// one long one does not.
#pragma once

#include <bit>
#include <type_traits>

#include "host/elements/blend.hpp"
#include "host/elements/packed.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {

/// Whether elements of T are worth the buffer.
template <class T>
inline constexpr bool is_narrow_real = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// The bits of an element. Not a bit_cast: GCC 12 vectorises no copies of structs.
template <floating_storage T>
MULTIFOLD_INLINE auto bits_of_element(T x) {
  if constexpr (requires { x.bits; }) return x.bits;
  else return std::bit_cast<typename multifold::detail::float_layout<T>::bits_type>(x);
}

/// to_float without arithmetic on float subnormals, for which processors take a hundred cycles: a subnormal f16
/// gets an exponent, and loses what that added.
MULTIFOLD_INLINE float widened(f16 x) {
  constexpr std::uint32_t rebias = (127 - 15) << 23, hidden = 1 << 23, infinity = 0x7c00u << 13;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(x.bits & 0x7fffu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  const std::uint32_t normal = magnitude + rebias + (magnitude >= infinity ? rebias : 0);
  const float subnormal = std::bit_cast<float>(magnitude + rebias + hidden) - std::bit_cast<float>(rebias + hidden);
  const std::uint32_t bits = blend(magnitude < hidden, std::bit_cast<std::uint32_t>(subnormal), normal);
  return std::bit_cast<float>(bits | sign);
}
MULTIFOLD_INLINE float widened(bf16 x) { return to_float(x); }

/// Calls `f(j, element j)` for j in [first, last), which is within [0, N).
template <int N, class T, class F>
MULTIFOLD_INLINE void for_each_widened(const packed<T>* x, int first, int last, const F& f) {
  if constexpr (is_narrow_real<T>) {
    float wide[N];
    for (int j = first; j < last; ++j) wide[j] = widened(x[j].value);
    for (int j = first; j < last; ++j) f(j, wide[j]);
  } else {
    for (int j = first; j < last; ++j) f(j, T{x[j].value});
  }
}

/// Lane l after one more element, which may be a widened one.
template <class Op, class Lane, class Value>
MULTIFOLD_INLINE Lane step(const Op& op, Lane l, Value x) {
  return lane_of<Op>::absorb(op, l, x, 0);
}
template <class T, class Value>
MULTIFOLD_INLINE double step(const float_sum<T>&, double l, Value x) {
  return l + to_double(x);
}

}  // namespace multifold::inline v0_1::host
