// The elements of a case, made of their indices: the same code on the CPU and on the GPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "multifold/exact/float_layout.hpp"
#include "multifold/types/float16.hpp"
#include "surface_case.hpp"

namespace bench::surface {

/// Bits of magnitude of integers whose sums, or squares' sums, or products have to fit 64 bits.
inline int integer_bits(multifold::op_kind op) {
  switch (op) {
    case multifold::op_kind::prod: return 1;
    case multifold::op_kind::sumsq:
    case multifold::op_kind::dot: return 14;
    case multifold::op_kind::sum:
    case multifold::op_kind::norm1:
    case multifold::op_kind::describe: return 30;
    case multifold::op_kind::min:
    case multifold::op_kind::max:
    case multifold::op_kind::argmin:
    case multifold::op_kind::argmax:
    case multifold::op_kind::mean:
    case multifold::op_kind::norm2:
    case multifold::op_kind::var:
    case multifold::op_kind::std:
    case multifold::op_kind::cov:
    case multifold::op_kind::any:
    case multifold::op_kind::all:
    case multifold::op_kind::count_nonzero: return 63;
  }
  return 63;
}

MULTIFOLD_HD inline std::uint64_t hash(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Box and Muller (1958); of 32 bits each, so at most 6.7 in magnitude.
MULTIFOLD_HD inline double normal(std::uint64_t bits) {
  const double radius = sqrt(-2 * log((static_cast<double>(bits >> 32) + 0.5) * 0x1p-32));
  return radius * cos(static_cast<double>(bits & 0xffffffffu) * (0x1p-31 * 3.141592653589793));
}

MULTIFOLD_HD inline double real_number(family f, std::uint64_t bits) {
  switch (f) {
    case family::product: return normal(bits) * normal(hash(bits, 1)) * normal(hash(bits, 2));
    case family::zeros: return (bits & 3) != 0 ? 0 : normal(hash(bits, 1));
    case family::sigma_1: return exp(normal(bits));
    case family::sigma_3: return exp(3 * normal(bits));
    case family::sigma_10: return exp(10 * normal(bits));
    case family::normal:
    case family::any_finite:
    case family::integers: break;
  }
  return normal(bits);
}

template <class T>
MULTIFOLD_HD T rounded(double x) {
  if constexpr (std::is_same_v<T, multifold::f16>) return multifold::to_f16(fmin(x, 65504.0));
  else if constexpr (std::is_same_v<T, multifold::bf16>) return multifold::to_bf16(fmin(x, 0x1.fep127));
  else return static_cast<T>(fmin(x, static_cast<double>(std::numeric_limits<T>::max())));
}

/// Element `i`. A product's integers are 1 and -1; others have magnitudes below 2^bits.
template <class T>
MULTIFOLD_HD T element(family f, int bits, std::uint64_t seed, std::uint64_t i) {
  std::uint64_t drawn = hash(seed, i);
  if constexpr (multifold::floating_storage<T>) {
    using layout = multifold::detail::float_layout<T>;
    if (f != family::any_finite) return rounded<T>(real_number(f, drawn));
    constexpr std::uint64_t infinity = layout::infinity;
    while ((drawn & infinity) == infinity) drawn = hash(drawn, 0);
    return multifold::bit_copy<T>(static_cast<typename layout::bits_type>(drawn));
  } else if constexpr (std::is_same_v<T, multifold::bool8>) {
    return T{static_cast<std::uint8_t>(drawn >> 63)};
  } else {
    constexpr int width = 8 * static_cast<int>(sizeof(T));
    if (bits == 1) return static_cast<T>(std::is_signed_v<T> && (drawn & 1) != 0 ? -1 : 1);
    const int kept = bits < width ? bits : width;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<std::int64_t>(drawn) >> (64 - kept));
    else return static_cast<T>(drawn >> (64 - kept));
  }
}

}  // namespace bench::surface
