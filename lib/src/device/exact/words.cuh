// An exact sum on its way through device memory: limbs and marks as words that merge by adding them, in any order.
// See docs/exact-sums.md, 3.
#pragma once

#include <cstdint>

#include "multifold/exact.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// limbs, then the counts of NaN, +Inf and -Inf, then a mark of finite numbers other than -0.
template <floating_storage T>
struct words {
  static constexpr int limb_count = exact_traits<T>::limb_count;
  static constexpr int nan = limb_count, positive_infinity = nan + 1, negative_infinity = nan + 2,
                       not_negative_zero = nan + 3;
  static constexpr int count = exact_sum_words<T>;
};

/// Which mark a number that is not finite belongs to.
template <floating_storage T>
__device__ int mark_of(const multifold::detail::unpacked& x) {
  if (x.nan) return words<T>::nan;
  return x.negative ? words<T>::negative_infinity : words<T>::positive_infinity;
}

/// Words that every thread of a grid, or of a block, may add to.
__device__ inline void add_word(std::int64_t* word, std::int64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

/// Adds value * 2^position, |value| < 2^63, to limbs that all threads add to.
__device__ inline void add_quanta(std::int64_t* limb, std::int64_t value, int position) {
  const std::int64_t sign = value >> 63;
  const auto magnitude = static_cast<std::uint64_t>((value ^ sign) - sign);
  const int shift = position & 31;
  const std::uint64_t low = magnitude << shift;
  const std::uint64_t high = shift == 0 ? 0 : magnitude >> (64 - shift);
  std::int64_t* const at = limb + (position >> 5);
  add_word(at, (static_cast<std::int64_t>(low & 0xffffffffu) ^ sign) - sign);
  add_word(at + 1, (static_cast<std::int64_t>(low >> 32) ^ sign) - sign);
  add_word(at + 2, (static_cast<std::int64_t>(high) ^ sign) - sign);
}

/// Adds one element, which may be anything.
template <floating_storage T>
__device__ void add_element(std::int64_t* into, T x) {
  const multifold::detail::unpacked parts = multifold::detail::unpack(x);
  constexpr int shift = multifold::detail::float_layout<T>::least_exponent - exact_traits<T>::unit_exponent;
  const auto significand = static_cast<std::int64_t>(parts.significand);
  if (!parts.finite()) return add_word(into + mark_of<T>(parts), 1);
  add_quanta(into, parts.negative ? -significand : significand, parts.position + shift);
  if (!(parts.zero() && parts.negative))
    atomicOr(reinterpret_cast<unsigned long long*>(into) + words<T>::not_negative_zero, 1ull);
}

/// A finite double that is a sum of elements.
template <floating_storage T>
__device__ void add_double(std::int64_t* limb, double x) {
  const multifold::detail::whole_quanta q = multifold::detail::quanta_of(x);
  const int position = q.exponent - exact_traits<T>::unit_exponent;
  if (position >= 0) add_quanta(limb, q.value, position);
  else add_quanta(limb, q.value >> min(-position, 63), 0);  // the bits that fall off are zeros
}

/// Carries from limb to limb: each is then below 2^32, but for the signed last one.
template <floating_storage T>
__device__ void carry(std::int64_t* w, std::int64_t sign = 1) {
  constexpr int limbs = words<T>::limb_count, together = limbs < 16 ? limbs : 10;
  static_assert(limbs % together == 0);
  std::int64_t carried = 0;
#pragma unroll 1
  for (int first = 0; first < limbs; first += together) {
    // In registers: a load that follows a store waits for it, and for the shared memory.
    std::int64_t limb[together];
#pragma unroll
    for (int i = 0; i < together; ++i) limb[i] = sign * w[first + i];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t sum = limb[i] + carried;
      const bool top = first + i + 1 == limbs;
      w[first + i] = top ? sum : sum & 0xffffffff;
      carried = sum >> 32;
    }
  }
}

/// The limbs' leading bits. Carries in place, and takes the sign off.
template <floating_storage T>
__device__ exact_value leading_of(std::int64_t* w) {
  constexpr int last = words<T>::limb_count - 1;
  exact_value v;
  carry<T>(w);
  v.negative = w[last] < 0;
  if (v.negative) carry<T>(w, -1);
  int top = last;
  while (top > 0 && w[top] == 0) --top;
  const auto word = [&](int i) { return i < 0 ? 0u : static_cast<std::uint32_t>(w[i]); };
  const int up = __clz(static_cast<int>(word(top)));
  if (up == 32) {
    v.negative = false;
    return v;
  }
  std::uint32_t window[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) window[i] = word(top - i);
#pragma unroll
  for (int i = 0; i < 4; ++i) v.significand = v.significand << 32 | __funnelshift_l(window[i + 1], window[i], up);
  v.exponent = 32 * (top - 3) - up + exact_traits<T>::unit_exponent;
  v.sticky = window[4] << up != 0;
  for (int i = top - 5; i >= 0 && !v.sticky; --i) v.sticky = w[i] != 0;
  return v;
}

/// The sum of `length` elements that the words hold; omitted NaNs are not counted.
template <floating_storage T>
__device__ exact_sum<T> sum_of(const std::int64_t* w, std::int64_t length, nan_policy nan) {
  using at = words<T>;
  exact_sum<T> sum;
  typename exact_sum<T>::limbs_type limbs;
  MULTIFOLD_ROLLED
  for (int i = 0; i < at::limb_count; ++i) limbs.limb[i] = w[i];
  limbs.normalise();
  sum.add_limbs(limbs, 1);
  const bool omit = nan == nan_policy::omit;
  const std::int64_t nans = w[at::nan], counted_nans = omit ? 0 : nans;
  const std::int64_t infinities = w[at::positive_infinity] + w[at::negative_infinity];
  sum.add_counts({length - (nans - counted_nans), counted_nans, w[at::positive_infinity], w[at::negative_infinity],
                  w[at::not_negative_zero] + infinities + counted_nans});
  return sum;
}

}  // namespace multifold::inline v0_1::cuda::exact
