// What a lane gathers of integers: sums and products of a few thousand in the narrowest words that hold them, and these in
// sums that hold everything. No result is read again.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/moments/tiles/fold.cuh"
#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/exact/started_sum.hpp"

namespace multifold::inline v0_1::cuda::moments {

/// Zeros and extremes of elements that are E, as order keys, and in which vectors these stand first.
template <class E, storage_type C>
struct integer_marks {
  key_of<C> low = 0, high = 0;
  int zeros = 0, least_at = -1, greatest_at = -1;

  __device__ static key_of<C> key_at(C x) { return order_key(bit_copy<E>(x), key_of<C>{0}); }
  __device__ __forceinline__ void see(const kernels::vector_word& v, int number) {
    const auto x = bit_copy<kernels::elements_of<C>>(v);
    key_of<C> least = key_at(x.values[0]), greatest = least;
#pragma unroll
    for (const C each : x.values) {
      const key_of<C> key = key_at(each);
      least = min(least, key);
      greatest = max(greatest, key);
      zeros += bit_copy<key_of<C>>(each) == 0 ? 1 : 0;
    }
    if (least_at < 0 || least < low) low = least, least_at = number;
    if (greatest_at < 0 || greatest > high) high = greatest, greatest_at = number;
  }
  __device__ std::int64_t least_key() const { return low; }
  __device__ std::int64_t greatest_key() const { return high; }
};
struct no_integer_marks {};

/// Of elements that are E, and have the carrier C.
template <class E, storage_type C, moment_set Set>
requires(!floating_storage<C>) struct integer_lane {
  using fold = moment_fold<C, Set>;
  static constexpr bool two = reads_two_arrays(Set), joint = Set == moment_set::joint;
  static constexpr bool describes = Set == moment_set::description;
  /// Vectors of each array that are on their way at once.
  static constexpr int width = kernels::vector_elements<C>, vectors = width >= 8 ? 16 / width : two ? 2 : 4;
  /// Whether the narrow words are emptied now and then.
  static constexpr bool looks_ahead = fold::lane_capacity < INT64_MAX;
  static_assert(fold::lane_capacity > multifold::detail::started_sum::chunk);

  std::conditional_t<describes, integer_marks<E, C>, no_integer_marks> marks;
  typename fold::lane some{};
  typename fold::accumulator all{};

  /// What marks are ordered by, and whether they count an element as a zero.
  __device__ static std::int64_t mark_key(C x) { return integer_marks<E, C>::key_at(x); }
  __device__ static bool is_zero(C x) { return bit_copy<key_of<C>>(x) == 0; }

  __device__ void look(const kernels::vector_word*, const kernels::vector_word*) {}
  __device__ __forceinline__ void add(const kernels::vector_word& of_x, const kernels::vector_word& of_y) {
    if constexpr (sizeof(C) == 1) {
      const auto numbers = [](unsigned word) { return std::is_same_v<E, bool8> ? __vsetne4(word, 0u) : word; };
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (two) add_byte_pairs(numbers(of_x.words[i]), numbers(of_y.words[i]));
        else add_bytes<E, Set == moment_set::absolute>(some, numbers(of_x.words[i]));
      }
    } else {
      const auto x = bit_copy<kernels::elements_of<C>>(of_x), y = bit_copy<kernels::elements_of<C>>(of_y);
#pragma unroll
      for (int k = 0; k < width; ++k) fold::add(some, bit_copy<E>(x.values[k]), bit_copy<E>((two ? y : x).values[k]));
    }
  }
  __device__ void close() {}
  __device__ void end_chunk() {
    typename fold::accumulator more;
    if constexpr (sums_elements(Set)) more.x = some.x;
    if constexpr (joint) more.y = some.y;
    if constexpr (sums_products(Set)) more.products = some.products;
    all.merge(more);
    some = {};
  }
  template <class Terms>
  __device__ const auto& part(const Terms&) const {
    return all;
  }

 private:
  // Four of each array. Dot products of bytes have a sign or have none, their sums are the same bits.
  __device__ __forceinline__ void add_byte_pairs(unsigned x, unsigned y) {
    using word = std::conditional_t<std::is_signed_v<E>, int, unsigned>;
    const auto dot = [](unsigned a, unsigned b, std::int32_t sum) {
      return static_cast<std::int32_t>(__dp4a(static_cast<word>(a), static_cast<word>(b), static_cast<word>(sum)));
    };
    constexpr unsigned ones = 0x01010101u;
    if constexpr (joint) some.x = dot(x, ones, some.x), some.y = dot(y, ones, some.y);
    some.products = dot(x, y, some.products);
  }
};

}  // namespace multifold::inline v0_1::cuda::moments
