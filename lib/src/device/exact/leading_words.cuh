// Delivers a sum that is held in words: by one warp in some tens of instructions where its leading limbs tell how it
// rounds, else as an exact value. The instructions of a kernel come from memory, too: at the end of a sum of 64 MiB on
// an H200, one thread took 3.4 microseconds to round exactly, most of them to fetch what it ran.
#pragma once

#include <cstdint>

#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/exact/near/near.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Limbs of a warp's lanes, lowest first, split so that each is what it was modulo 2^32 with its own sign, and the rest
/// added to the next lane's.
__device__ inline std::int64_t carried_once(std::int64_t limb) {
  const std::int64_t high = (limb + ((limb >> 63) & 0xffffffff)) >> 32;  // towards zero
  const std::int64_t below = __shfl_up_sync(kernels::whole_warp, high, 1);
  return limb - (high << 32) + (threadIdx.x % 32 == 0 ? 0 : below);
}

/// The value of words without marks, to 64 bits and more below its leading limb. The whole warp must call; every lane
/// has the result, which is unknown where there are marks, of zero, and where limbs cancel.
///
/// Twice carried, limbs are at most 2^32. Three of them make an exact pair of integers below 2^97, and those below
/// them come to less than two units.
template <floating_storage T>
__device__ multifold::detail::near_value leading_value(const std::int64_t* w) {
  using at = words<T>;
  using multifold::detail::add_exactly;
  static_assert(at::limb_count < 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool marked = lane >= at::nan && lane <= at::negative_infinity && w[lane] != 0;
  const std::int64_t limb = carried_once(carried_once(lane < at::limb_count ? w[lane] : 0));
  const unsigned used = __ballot_sync(kernels::whole_warp, limb != 0);
  if (__any_sync(kernels::whole_warp, marked) || used == 0) return multifold::detail::unknown_value();
  const int top = 31 - __clz(static_cast<int>(used));
  const auto limb_at = [&](int i) {
    const std::int64_t there = __shfl_sync(kernels::whole_warp, limb, max(i, 0));
    return i < 0 ? 0.0 : static_cast<double>(there);
  };
  const multifold::detail::two_sum upper = add_exactly(limb_at(top) * 0x1p64, limb_at(top - 1) * 0x1p32);
  const multifold::detail::two_sum all = add_exactly(upper.sum, limb_at(top - 2));
  const bool rest = top > 2 && (used & ((1u << (top - 2)) - 1)) != 0;
  const double unit = multifold::detail::power_of_two(32 * (top - 2) + exact_traits<T>::unit_exponent);
  return {all.sum * unit, (upper.error + all.error) * unit, rest ? 2 * unit : 0.0};
}

/// Delivers a batch from shared words, which are not needed any more. The whole warp must call.
template <floating_storage T, class Output>
__device__ void deliver_words(const Output& output, std::int64_t batch, std::int64_t* w, std::int64_t length,
                              nan_policy nan) {
  const multifold::detail::near_value near = leading_value<T>(w);
  if (threadIdx.x % 32 == 0 && !output.store_near(batch, near)) output.deliver(batch, w, length, nan);
}

}  // namespace multifold::inline v0_1::cuda::exact
