// What one thread gathers of a set of moments of integers, as 64 bits. See docs/exact-sums.md, 13.
#pragma once

#include "device/moments/finish.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/ops/moments/moment_words.hpp"

namespace multifold::inline v0_1::cuda::moments {

__device__ inline std::uint32_t sum_of_lanes(std::uint32_t value, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(kernels::whole_warp, value, mask);
  return value;
}

/// The extremes over `width` neighbouring lanes. All lanes of the warp must call.
template <storage_type T>
__device__ void merge_extremes(description_marks<T>& marks, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) marks.merge_extremes(kernels::shuffle_xor(marks, mask));
}

/// The sums of a thread; its extremes, which seldom change, lie in memory.
template <class T, moment_set Set>
struct gather;

/// Integers as 64 bits, with or without a sign.
template <moment_set Set>
struct gather<std::int64_t, Set> {
  using T = std::int64_t;
  using at = moment_words<T, Set>;

  int128_t x = 0, y = 0;
  product_total products;
  std::uint32_t zeros = 0;
  description_marks<T>* extremes;
  bool has_sign;

  __device__ gather(description_marks<T>* extremes, bool has_sign) : extremes(extremes), has_sign(has_sign) {
    if constexpr (Set == moment_set::description) *extremes = {};
  }

  __device__ void add(T a, T b, std::int64_t index) {
    if constexpr (Set == moment_set::description) {
      extremes->see(turned(a, has_sign), index, nan_policy::propagate);
      zeros += a == 0;
    }
    if (has_sign) add_sums(a, b);
    else add_sums(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  }

  __device__ void merge_lanes(int width) {
    for (int mask = width / 2; mask > 0; mask /= 2) {
      if constexpr (sums_elements(Set)) x += kernels::shuffle_xor(x, mask);
      if constexpr (Set == moment_set::joint) y += kernels::shuffle_xor(y, mask);
      if constexpr (sums_products(Set)) {
        const product_total other = kernels::shuffle_xor(products, mask);
        products.add(other.low, other.high);
      }
    }
    if constexpr (Set == moment_set::description) zeros = sum_of_lanes(zeros, width);
  }

  __device__ void add_sums_to(std::int64_t* to) const {
    if constexpr (sums_elements(Set)) put(to + at::x, x);
    if constexpr (Set == moment_set::joint) put(to + at::y, y);
    if constexpr (sums_products(Set)) {
      add_word(to + at::products, static_cast<std::int64_t>(products.low & 0xffffffffu));
      add_word(to + at::products + 1, static_cast<std::int64_t>(products.low >> 32));
      put(to + at::products + 2, products.high);
    }
    if constexpr (Set == moment_set::description) add_word(to + at::zeros, zeros);
    // No integer is -0.
    if constexpr (sums_elements(Set)) add_word(to + at::x + at::sum_limbs + at::not_negative_zero, 1);
    if constexpr (Set == moment_set::joint) add_word(to + at::y + at::sum_limbs + at::not_negative_zero, 1);
    if constexpr (sums_products(Set)) add_word(to + at::products + at::product_limbs + at::not_negative_zero, 1);
  }

 private:
  template <class Integer>
  __device__ void add_sums(Integer a, Integer b) {
    if constexpr (Set == moment_set::absolute) x += multifold::detail::magnitude_of(a);
    else if constexpr (sums_elements(Set)) x += a;
    if constexpr (Set == moment_set::joint) y += b;
    if constexpr (sums_products(Set)) {
      using exact = std::conditional_t<std::is_signed_v<Integer>, int128_t, uint128_t>;
      const exact p = static_cast<exact>(a) * static_cast<exact>(b);
      products.add(static_cast<std::uint64_t>(p), static_cast<int128_t>(p >> 64));
    }
  }
  __device__ static void put(std::int64_t* limb, int128_t value) {
    for (int i = 0; i < 3; ++i) {
      add_word(limb + i, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & 0xffffffffu));
      value >>= 32;
    }
    add_word(limb + 3, static_cast<std::int64_t>(value));
  }
};

}  // namespace multifold::inline v0_1::cuda::moments
