// Sums of a block's threads in fixed point: 128 bits below the greatest of them, added by the warp's own reductions.
// Three times as fast as exchanging pairs, which is what counts where a few kilobytes are summed in all.
// Bounds: docs/exact-sums.md, 10.
#pragma once

#include <cstdint>

#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// value * 2^exponent, |value| < 2^117; of nothing but zeros, the exponent is the least there is. `lost`: the sum did
/// not fit, and is unknown. `other`: something else than -0 was added.
struct alignas(16) fixed_sum {
  enum mark : unsigned { lost_mark = 1, other_mark = 2 };
  static constexpr int least_exponent = -8192;
  int128_t value = 0;
  int exponent = least_exponent;
  unsigned marks = 0;

  __device__ bool lost() const { return (marks & lost_mark) != 0; }
  __device__ bool other() const { return (marks & other_mark) != 0; }
};

/// The value moved to a greater exponent; lost if bits fall off.
__device__ inline fixed_sum raised(fixed_sum s, int exponent) {
  const int down = min(exponent - s.exponent, 127);
  const int128_t kept = s.value >> down;
  if (kept << down != s.value) s.marks |= fixed_sum::lost_mark;
  return {kept, exponent, s.marks};
}

/// The sum of a warp's values at `exponent`, in every lane; all must call. Limbs of 26 bits: 32 of them fit a word.
__device__ inline fixed_sum add_lanes(int128_t value, int exponent, unsigned marks) {
  constexpr int limb_bits = 26, limbs = 5;
  fixed_sum all{0, exponent, __reduce_or_sync(kernels::whole_warp, marks)};
#pragma unroll
  for (int i = 0; i < limbs; ++i) {
    const auto rest = static_cast<int>(value >> (limb_bits * i));
    const int limb = i + 1 < limbs ? rest & ((1 << limb_bits) - 1) : rest;
    all.value += static_cast<int128_t>(__reduce_add_sync(kernels::whole_warp, limb)) << (limb_bits * i);
  }
  // Ready for the next 2^10 of them.
  constexpr int room = 117;
  const auto top = static_cast<std::int64_t>(all.value >> room);
  return top == 0 || top == -1 ? all : raised(all, exponent + 5);
}

/// The sum of a warp's pairs, which may be lost.
__device__ inline fixed_sum warp_sum(const exact_pair& pair) {
  constexpr int up = 63;  // bits below the last place of the greatest number, for the others
  const auto high = static_cast<std::uint64_t>(__double_as_longlong(pair.high));
  const auto low = static_cast<std::uint64_t>(__double_as_longlong(pair.low));
  const auto field = [](std::uint64_t bits) { return static_cast<int>(bits >> 52) & 0x7ff; };
  const int greatest = __reduce_max_sync(kernels::whole_warp, max(field(high), field(low)));
  unsigned marks = high == std::uint64_t{1} << 63 && pair.low == 0 ? 0 : fixed_sum::other_mark;
  if (pair.lost()) marks |= fixed_sum::lost_mark;
  int128_t value = 0;
  const bool only_high = __all_sync(kernels::whole_warp, pair.low == 0) != 0;
#pragma unroll 1
  for (std::uint64_t bits = high, left = only_high ? 1 : 2; left > 0; --left, bits = low) {
    const int mine = field(bits), shift = up - (max(greatest, 1) - max(mine, 1));
    const std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    const auto magnitude = static_cast<std::int64_t>(mine == 0 ? mantissa : mantissa | std::uint64_t{1} << 52);
    const std::int64_t number = static_cast<std::int64_t>(bits) < 0 ? -magnitude : magnitude;
    const int down = min(max(-shift, 0), 63);
    const std::int64_t kept = number >> down;
    if (kept << down != number) marks |= fixed_sum::lost_mark;
    value += static_cast<int128_t>(kept) << max(shift, 0);
  }
  return add_lanes(value, max(greatest, 1) - 1075 - up, marks);
}

/// The sum of a warp's sums, in every lane; all must call.
__device__ inline fixed_sum warp_sum(fixed_sum s) {
  s = raised(s, __reduce_max_sync(kernels::whole_warp, s.exponent));
  return add_lanes(s.value, s.exponent, s.marks);
}

/// Shared memory of block_sum.
struct fixed_storage {
  fixed_sum of_warp[16];
};

/// The sum over a block of pairs or sums: valid in the first warp. All threads must call.
template <class Mine>
__device__ fixed_sum block_sum(const Mine& mine, fixed_storage& storage) {
  const fixed_sum s = warp_sum(mine);
  const unsigned warps = blockDim.x / 32, lane = threadIdx.x % 32;
  if (warps == 1) return s;
  if (lane == 0) storage.of_warp[threadIdx.x / 32] = s;
  __syncthreads();
  return threadIdx.x < 32 ? warp_sum(lane < warps ? storage.of_warp[lane] : fixed_sum{}) : s;
}

/// A sum that is not lost, as a value that rounds correctly to any format.
__device__ inline exact_value value_of(const fixed_sum& s) {
  exact_value v;
  v.negative = s.value < 0 || (s.value == 0 && !s.other());
  if (s.value == 0) return v;
  const auto magnitude = static_cast<uint128_t>(v.negative ? -s.value : s.value);
  const int up = 128 - multifold::detail::bit_width(magnitude);
  v.significand = magnitude << up;
  v.exponent = s.exponent - up;
  return v;
}

/// Adds a sum that is not lost to words in shared memory.
template <floating_storage T>
__device__ void add_fixed(std::int64_t* into, const fixed_sum& s) {
  constexpr int half = 62;
  if (s.other()) atomicOr(reinterpret_cast<unsigned long long*>(into) + words<T>::not_negative_zero, 1ull);
  const auto add = [&](std::int64_t value, int exponent) {
    const int position = exponent - exact_traits<T>::unit_exponent;
    if (position >= 0) add_quanta(into, value, position);
    else add_quanta(into, value >> min(-position, 63), 0);  // the bits that fall off are zeros
  };
  add(static_cast<std::int64_t>(s.value & ((int128_t{1} << half) - 1)), s.exponent);
  add(static_cast<std::int64_t>(s.value >> half), s.exponent + half);
}

}  // namespace multifold::inline v0_1::cuda::exact
