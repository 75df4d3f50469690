// The exact sum of a tile of f16 in fixed point: two integers a lane, of which each element gives to both.
// See docs/exact-sums.md, 8.
#pragma once

#include <cstdint>
#include <limits>

#include "host/elements/half_floats.hpp"
#include "host/exact/tile.hpp"

namespace multifold::inline v0_1::host {

namespace detail {

/// a - b by fma, where there is one: processors that multiply elsewhere than they add do more at a time.
template <simd_level Level>
MULTIFOLD_INLINE float difference(float a, float b) {
  if constexpr (Level == simd_level::portable) return a - b;
  else return __builtin_fmaf(-1, b, a);
}

}  // namespace detail

/// The sum of at most exact_tile_elements<f16> elements; lost if they are not all finite.
template <simd_level Level>
MULTIFOLD_INLINE exact_pair sum_of_halves(const packed<f16>* x, std::int64_t count) {
  using detail::difference;
  constexpr int lanes = 32, chain = 4;
  // `top` gathers multiples of 2^-4, and `rest` what that rounds away, multiples of 2^-24: while as few elements as a
  // chain has are added to these, they keep their exponents, so their bits count such units.
  constexpr float top_start = 0x1.8p19f, rest_start = 0x1.8p-1f;
  std::uint32_t high[lanes] = {}, low[lanes] = {}, seen[lanes] = {};
  for_each_block<chain * lanes, ahead_of_reads>(
      x, count, [&](const packed<f16>* block) __attribute__((always_inline)) {
        float value[chain * lanes];
        widen_block<Level, chain * lanes>(block, value);
        for (int j = 0; j < lanes; ++j) {
          float top = value[j] + top_start;
          float rest = value[j] + difference<Level>(top_start + rest_start, top);
          for (int i = 1; i < chain; ++i) {
            const float element = value[i * lanes + j], next = top + element;
            rest += difference<Level>(element, next - top);
            top = next;
          }
          high[j] += std::bit_cast<std::uint32_t>(top);
          low[j] += std::bit_cast<std::uint32_t>(rest);
          seen[j] |= std::bit_cast<std::uint32_t>(rest);
        }
      });

  // A chain adds at most 2^22 and 2^21 units.
  static_assert(exact_tile_elements<f16> / (chain * lanes) <= 1 << 8 && exact_tile_elements<f16> <= 1 << 13);
  const auto chains = static_cast<std::uint32_t>((count + chain * lanes - 1) / (chain * lanes));
  std::int64_t units = 0;
  std::uint32_t any = 0;
  for (int j = 0; j < lanes; ++j) {
    const auto tops = static_cast<std::int32_t>(high[j] - chains * std::bit_cast<std::uint32_t>(top_start));
    const auto rests = static_cast<std::int32_t>(low[j] - chains * std::bit_cast<std::uint32_t>(rest_start));
    units += std::int64_t{tops} * (1 << 20) + rests;
    any |= seen[j];
  }
  // `rest` is below 1, or NaN.
  if ((any & std::bit_cast<std::uint32_t>(2.0f)) != 0) return {0, std::numeric_limits<double>::quiet_NaN()};
  if (units == 0) return {only_negative_zeros(x, count) ? -0.0 : 0.0, 0};
  return {static_cast<double>(units) * 0x1p-24, 0};
}

}  // namespace multifold::inline v0_1::host
