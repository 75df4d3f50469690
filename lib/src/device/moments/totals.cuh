// Totals of moments as what rounds or merges them takes: numbers that are known but for an error, integers, limbs.
#pragma once

#include "multifold/exact/expansions/expansion.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/moments/moment_partial.hpp"

namespace multifold::inline v0_1::cuda::moments {

using multifold::detail::near_value;

/// An integer, or its leading 106 bits.
__device__ inline near_value near_of(std::int64_t v) {
  const double high = static_cast<double>(v >> 32) * 0x1p32, low = static_cast<double>(v & 0xffffffff);
  const multifold::detail::two_sum tight = multifold::detail::add_exactly(high, low);
  return {tight.sum, tight.error, 0.0};
}
__device__ inline near_value near_of(product_total v) {
  const bool negative = v.high < 0;
  if (negative) v = {~v.high + (v.low == 0 ? 1 : 0), 0 - v.low};
  const auto above = static_cast<uint128_t>(v.high);
  const int width = above != 0 ? 64 + multifold::detail::bit_width(above) : 64, cut = max(0, width - 106);
  // cut < 64 or, for what is above 2^170, the lower word goes as a whole.
  const uint128_t leading = cut == 0   ? above << 64 | v.low
                            : cut < 64 ? above << (64 - cut) | v.low >> cut
                                       : above >> (cut - 64);
  const double unit = multifold::detail::power_of_two(cut), sign = negative ? -unit : unit;
  const auto high = static_cast<double>(static_cast<std::uint64_t>(leading >> 53)) * 0x1p53;
  const auto low = static_cast<double>(static_cast<std::uint64_t>(leading) & ((std::uint64_t{1} << 53) - 1));
  const multifold::detail::two_sum tight = multifold::detail::add_exactly(high, low);
  return {sign * tight.sum, sign * tight.error, cut == 0 ? 0.0 : unit};
}
__device__ inline near_value near_of(int128_t v) {
  return near_of(product_total{v >> 64, static_cast<std::uint64_t>(v)});
}

/// Whether a total is an integer of 128 bits, and which.
__device__ inline bool to_integer(std::int64_t v, int128_t& out) {
  out = v;
  return true;
}
__device__ inline bool to_integer(int128_t v, int128_t& out) {
  out = v;
  return true;
}
__device__ inline bool to_integer(const product_total& v, int128_t& out) {
  out = static_cast<int128_t>(static_cast<uint128_t>(v.high) << 64 | v.low);
  return v.high == static_cast<std::int64_t>(v.high);
}

/// Adds a total to an exact sum, whose counts are added elsewhere.
template <class Sum, int Parts>
__device__ void add_total(Sum& sum, const expansion<Parts>& total) {
#pragma unroll 1
  for (int i = 0; i < Parts; ++i) {
    const multifold::detail::whole_quanta q = multifold::detail::quanta_of(total.part[i]);
    sum.add_quanta(q.value, q.exponent);
  }
}
template <class Sum>
__device__ void add_total(Sum& sum, const product_total& total) {
  sum.add_quanta(static_cast<std::int64_t>(total.low & 0xffffffffu), 0);
  sum.add_quanta(static_cast<std::int64_t>(total.low >> 32), 32);
  sum.add_quanta(static_cast<std::int64_t>(total.high & 0xffffffffu), 64);
  sum.add_quanta(static_cast<std::int64_t>(total.high >> 32 & 0xffffffffu), 96);
  sum.add_quanta(static_cast<std::int64_t>(total.high >> 64), 128);
}
template <class Sum>
__device__ void add_total(Sum& sum, int128_t total) {
  add_total(sum, product_total{total >> 64, static_cast<std::uint64_t>(total)});
}
template <class Sum>
__device__ void add_total(Sum& sum, std::int64_t total) {
  sum.add_quanta(total, 0);
}

}  // namespace multifold::inline v0_1::cuda::moments
