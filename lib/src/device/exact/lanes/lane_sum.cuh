// An exact sum as a lane gathers it, of numbers of any magnitude: limbs of its own in shared memory, side by side with
// those of the other lanes of its warp, so that nothing is ever lost, and no lane waits for another. See
// docs/exact-sums.md, 13.
#pragma once

#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/exact/lane_limbs.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Over `group` neighbouring lanes, in all of them. The whole warp calls.
__device__ inline std::int64_t sum_over_group(std::int64_t value, int group) {
  for (int mask = group / 2; mask > 0; mask /= 2) value += kernels::shuffle_xor(value, mask);
  return value;
}

/// A lane's sum of numbers of `Format`, and the marks of what it has seen: NaN, +Inf, -Inf, and anything
/// else but -0.
template <class Format>
struct lane_sum {
  using format = Format;
  multifold::detail::lane_limbs<Format::limb_count, 32> limbs;
  unsigned marks = 0;
  bool negative = false;  // the limbs are those of a negative number's magnitude

  __device__ void add(std::uint64_t significand, int position, bool negative_number) {
    limbs.add(significand, position, negative_number);
  }
  __device__ void add(uint128_t significand, int position, bool negative_number) {
    limbs.add(significand, position, negative_number);
  }
  /// Adds an element, whatever it is.
  __device__ void add(const multifold::detail::unpacked& x) {
    constexpr int shift =
        multifold::detail::float_layout<typename Format::element>::least_exponent - Format::unit_exponent;
    if (x.finite()) add(x.significand, x.position + shift, x.negative);
    mark(x, x.zero());
  }
  __device__ void mark(const multifold::detail::unpacked& x, bool zero) {
    if (!x.finite()) marks |= x.nan ? 1u : x.negative ? 4u : 2u;
    if (!(x.finite() && zero && x.negative)) marks |= 8u;
  }
  __device__ bool finite() const { return (marks & 7u) == 0; }
  __device__ bool minus_zero() const { return marks == 0; }

  /// The sum over `group` neighbouring lanes, in all of them, whose limbs have room for a carry then. The whole warp
  /// calls.
  __device__ void merge(int group) {
    if (group > 1) {
      for (int mask = group / 2; mask > 0; mask /= 2) {
        marks |= __shfl_xor_sync(kernels::whole_warp, marks, mask);
        limbs.low = min(limbs.low, __shfl_xor_sync(kernels::whole_warp, limbs.low, mask));
        limbs.high = max(limbs.high, __shfl_xor_sync(kernels::whole_warp, limbs.high, mask));
      }
      const int last = __reduce_max_sync(kernels::whole_warp, limbs.high);
#pragma unroll 1
      for (int i = __reduce_min_sync(kernels::whole_warp, limbs.low); i <= last; ++i) {
        std::int64_t limb = limbs.first[i * 32];
        for (int mask = group / 2; mask > 0; mask /= 2) limb += kernels::shuffle_xor(limb, mask);
        limbs.first[i * 32] = limb;
      }
    }
    if (limbs.high >= 0) limbs.high = min(limbs.high + 1, Format::limb_count - 1);
  }
  /// The number, whose sign the limbs lose.
  __device__ exact_value value() {
    const multifold::detail::natural_of_limbs<32> all(limbs.first, limbs.high + 1, limbs.low);
    negative = all.negative;
    return multifold::detail::leading(all, Format::unit_exponent);
  }
  /// The sum of lane `leader` as words, which are zero. The whole warp calls.
  __device__ void copy(int leader, std::int64_t* words) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::int64_t sign = __shfl_sync(kernels::whole_warp, negative, leader) ? -1 : 1;
    const unsigned seen = __shfl_sync(kernels::whole_warp, marks, leader);
    const int last = __shfl_sync(kernels::whole_warp, limbs.high, leader);
    for (int i = __shfl_sync(kernels::whole_warp, limbs.low, leader) + lane; i <= last; i += 32) {
      words[i] = sign * limbs.first[i * 32 + leader - lane];
    }
    if (lane < 4) words[Format::limb_count + lane] = seen >> lane & 1u;
  }
  /// The sum of `count` elements, whose sign the limbs lose.
  __device__ exact_value total(std::int64_t count) {
    if ((marks & 1u) != 0 || (marks & 6u) == 6u) return exact_value::of_nan();
    if (!finite()) return exact_value::of_infinity((marks & 4u) != 0);
    exact_value sum = value();
    if (sum.zero()) sum.negative = count > 0 && minus_zero();
    return sum;
  }
  /// Adds the sum of lane `leader` to words that others add to: limbs that are carried once, so that any number of
  /// lanes may do so, and marks. The whole warp calls.
  __device__ void share(int leader, std::int64_t* words) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first = __shfl_sync(kernels::whole_warp, limbs.low, leader);
    const int last = __shfl_sync(kernels::whole_warp, limbs.high, leader);
    const unsigned seen = __shfl_sync(kernels::whole_warp, marks, leader);
    const std::int64_t* const column = limbs.first + leader - lane;
    for (int i = first + lane; i <= last; i += 32) {
      const std::int64_t below = i > first ? column[(i - 1) * 32] >> 32 : 0;
      add_word(words + i, (i + 1 < Format::limb_count ? column[i * 32] & 0xffffffff : column[i * 32]) + below);
    }
    if (lane < 4) add_word(words + Format::limb_count + lane, seen >> lane & 1u);
  }
  /// Makes what the words are the sum of lane `leader`. The whole warp calls.
  __device__ void take(int leader, const std::int64_t* words) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto word = [&](int i) { return __ldcg(reinterpret_cast<const long long*>(words) + i); };
    std::int64_t* const column = limbs.first + leader - lane;
    for (int i = lane; i < Format::limb_count; i += 32) column[i * 32] = word(i);
    const unsigned seen =
        __ballot_sync(kernels::whole_warp, lane < 4 && word(Format::limb_count + (lane < 4 ? lane : 0)) != 0);
    __syncwarp();
    if (lane != leader) return;
    limbs.touch(0, Format::limb_count - 1);
    marks = seen & 15u;
  }
  __device__ void clear() {
#pragma unroll 1
    for (int i = limbs.low; i <= limbs.high; ++i) limbs.first[i * 32] = 0;
  }
};

/// The sum of `count` elements of T, as it is merged. By value: sums whose address is taken lie in memory.
template <floating_storage T, class Format>
__device__ __noinline__ exact_sum<T> whole_sum(lane_sum<Format> of, std::int64_t count) {
  static_assert(exact_traits<T>::limb_count == Format::limb_count);
  static_assert(exact_traits<T>::unit_exponent == Format::unit_exponent);
  typename exact_sum<T>::limbs_type all{};
  MULTIFOLD_ROLLED
  for (int i = of.limbs.low; i <= of.limbs.high; ++i) all.limb[i] = of.limbs.first[i * 32];
  all.normalise();
  exact_sum<T> sum;
  sum.add_limbs(all, 1);
  const auto mark = [&](int i) { return static_cast<std::int64_t>(of.marks >> i & 1u); };
  sum.add_counts({count, mark(0), mark(1), mark(2), mark(3)});
  return sum;
}

}  // namespace multifold::inline v0_1::cuda::exact
