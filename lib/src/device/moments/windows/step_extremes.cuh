// The least and the greatest of the steps of a warp. Each lane notes what it finds, but compares with what the whole
// warp has found: a lane that reads n steps finds about ln n new ones, and 32 of them by themselves would have one in
// most steps, in which the others wait.
#pragma once

#include <cstdint>

#include "device/moments/gather.cuh"
#include "device/moments/windows/step_range.cuh"

namespace multifold::cuda::moments {

/// Keys, the same in all lanes; of binary64, their upper words. Elements of a step are behind those of the steps
/// before, in all lanes of the warp: what is as good as the warp's own is not the first, and is not noted. What has as
/// good an upper word may be better.
template <class T>
struct step_extremes {
  static constexpr bool wide = sizeof(T) == 8;
  std::int32_t least = INT32_MAX, greatest = INT32_MIN;

  /// The first `here` elements of a step, which are finite, and their zeros; those behind are zeros, too, but do not
  /// count. None if it is negative. All lanes of the warp must call.
  template <int N, class Index>
  __device__ void see(gather<T, moment_set::description>& into, const T (&a)[N], const element_range<T>& of,
                      const Index& index, int here) {
    std::int32_t low = of.low_key(), high = of.high_key();
    if (here >= N) {
      into.zeros += of.zeros;
    } else {
      if (here >= 0) into.zeros += of.zeros - static_cast<std::uint32_t>(N - here);
      low = INT32_MAX;
      high = INT32_MIN;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (i >= here) continue;
        low = min(low, of.key_of(a[i]));
        high = max(high, of.key_of(a[i]));
      }
    }
    const bool news = wide ? low <= least || high >= greatest : low < least || high > greatest;
    if (!__any_sync(kernels::whole_warp, news)) return;
    if (news) {
      if constexpr (wide) note(*into.extremes, a, index, here);
      else note(*into.extremes, a, low, high, index);
    }
    least = min(least, __reduce_min_sync(kernels::whole_warp, low));
    greatest = max(greatest, __reduce_max_sync(kernels::whole_warp, high));
  }

 private:
  template <int N, class Index>
  __device__ static void note(description_marks<float>& seen, const float (&a)[N], std::int32_t low, std::int32_t high,
                              const Index& index) {
    seen.min = min(seen.min, low);
    seen.max = min(seen.max, ~high);
    const auto first_of = [&](std::int32_t wanted) {
      int place = 0;
#pragma unroll
      for (int i = N - 1; i >= 0; --i) {
        if (element_range<float>::key_of(a[i]) == wanted) place = i;
      }
      return place;
    };
    if (low < seen.argmin.key) seen.argmin = {low, index(first_of(low))};
    if (~high < seen.argmax.key) seen.argmax = {~high, index(first_of(high))};
  }
  template <int N, class Index>
  __device__ static void note(description_marks<double>& seen, const double (&a)[N], const Index& index, int here) {
    if (here <= 0) return;
    std::int64_t low = INT64_MAX, high = INT64_MIN;
    int low_at = 0, high_at = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const std::int64_t key = ordered_bits(bit_copy<std::int64_t>(a[i]));
      if (i < here && key < low) low = key, low_at = i;
      if (i < here && key > high) high = key, high_at = i;
    }
    seen.min = min(seen.min, low);
    seen.max = min(seen.max, ~high);
    if (low < seen.argmin.key) seen.argmin = {low, index(low_at)};
    if (~high < seen.argmax.key) seen.argmax = {~high, index(high_at)};
  }
};

}  // namespace multifold::cuda::moments
