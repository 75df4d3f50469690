// What the kernels of moments are told.
#pragma once

#include "device/exact/lanes/lane_groups.cuh"
#include "device/moments/finish.cuh"
#include "device/moments/gather.cuh"

namespace multifold::inline v0_1::cuda::moments {

using exact::extent;

/// Shared memory for objects with constructors, which it must not run.
template <class Object, int Count = 1>
struct raw_memory {
  alignas(16) std::byte bytes[Count * sizeof(Object)];
  __device__ Object& operator[](int i) { return reinterpret_cast<Object*>(bytes)[i]; }
};

/// Where parts of a batch meet; unused where there is one part.
template <storage_type T>
struct meeting {
  std::int64_t* words;          // moment_words::count a batch, zero before the pass
  unsigned* arrivals;           // one counter a batch, zero before the pass
  description_marks<T>* marks;  // of descriptions: extremes of every part of every batch
};

/// Adds a block's or a warp's words to those of the batch; `threads` take part, this one is number `thread`. Limbs are
/// carried once, so that any number of parts may be added.
template <storage_type T, moment_set Set>
__device__ void share_words(const std::int64_t* from, std::int64_t* to, int thread, int threads) {
  using at = moment_words<T, Set>;
  const auto share_sum = [&](int base, int limbs) {
    for (int i = thread; i < limbs; i += threads) {
      const std::int64_t mine = from[base + i], below = i > 0 ? from[base + i - 1] >> 32 : 0;
      add_word(to + base + i, (i + 1 < limbs ? mine & 0xffffffff : mine) + below);
    }
    for (int i = thread; i < at::marks; i += threads) add_word(to + base + limbs + i, from[base + limbs + i]);
  };
  if constexpr (sums_elements(Set)) share_sum(at::x, at::sum_limbs);
  if constexpr (Set == moment_set::joint) share_sum(at::y, at::sum_limbs);
  if constexpr (sums_products(Set)) share_sum(at::products, at::product_limbs);
  for (int i = at::omitted + thread; i < at::count; i += threads) add_word(to + i, from[i]);
}

/// Extremes of all parts of a batch, in the lanes of a warp; the same in all of them.
template <storage_type T>
__device__ description_marks<T> extremes_of_parts(const description_marks<T>* parts, std::int64_t count) {
  description_marks<T> all;
  for (std::int64_t i = threadIdx.x % 32; i < count; i += 32) all.merge_extremes(parts[i]);
  merge_extremes(all, 32);
  return all;
}

}  // namespace multifold::inline v0_1::cuda::moments
