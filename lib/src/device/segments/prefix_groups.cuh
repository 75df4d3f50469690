// Exact prefix sums of the elements that a warp has in shared memory. A lane has groups of neighbours, each of which it
// reads at once; there is a prefix sum in front of each group, and one who wants one between adds the few elements that
// are missing. Elements are split into windows that the exponents of all of them ask for (exact/windows.hpp), and the
// prefix sums of each window are exact, so that the sum of any range is a difference of two of them. See
// docs/exact-sums.md, 14.
#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

#include "device/exact/run_sums.cuh"
#include "device/segments/bounds.cuh"

namespace multifold::inline v0_1::cuda::segments {

using kernels::special_marks;

/// Neighbours that a lane reads at once.
template <floating_storage T>
inline constexpr int group_elements = sizeof(T) == 8 ? 2 : 4;

template <floating_storage T>
struct alignas(group_elements<T> * sizeof(T)) element_group {
  T of[group_elements<T>];
};

/// How numbers are split: the first window takes multiples of the last place of `start`, each further one those of
/// `down` times that, and the last one what is left.
struct window_split {
  int count = 1;
  double start = 0, down = 0;

  /// What the window that starts there takes of a number.
  __device__ static double part_of(double x, double start) {
    return multifold::detail::plain_difference(multifold::detail::plain_sum(x, start), start);
  }
  /// What two neighbouring windows of any number take.
  __device__ void parts_of(double x, int window, double (&part)[2]) const {
    double from = start;
#pragma unroll 1
    for (int k = 0; k < window; ++k, from *= down) x = multifold::detail::plain_difference(x, part_of(x, from));
    part[0] = window + 1 >= count ? x : part_of(x, from);
    x = multifold::detail::plain_difference(x, part[0]);
    part[1] = window + 2 >= count ? x : part_of(x, from * down);
  }
};

/// A lane's elements, and what the warp knows of those of all lanes. An odd number of groups: neither the elements nor
/// the prefix sums of neighbouring lanes then lie in the same banks.
template <int Groups, floating_storage T>
struct lane_groups {
  static constexpr int group = group_elements<T>, row = Groups * group, elements = 32 * row;
  static constexpr int stride = 32 * Groups + 1;  // from the sums of a window to those of the next
  static constexpr int log_count = elements <= 64     ? 6
                                   : elements <= 128  ? 7
                                   : elements <= 256  ? 8
                                   : elements <= 512  ? 9
                                   : elements <= 1024 ? 10
                                                      : 11;
  static_assert(Groups % 2 == 1 && elements <= 1 << log_count);

  const element_group<T>* first;
  double sum[Groups];  // of each group, exact if one window is enough
  exponent_range<T> range;

  /// All of `elements` elements from x on.
  __device__ static lane_groups of(const T* x) {
    lane_groups all;
    all.first = reinterpret_cast<const element_group<T>*>(x) + lane_of_thread() * Groups;
    magnitude_scan<T> scan;
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      const element_group<T> x_of = all.first[g];
      if constexpr (!std::is_same_v<T, f16>) {
#pragma unroll
        for (const T& each : x_of.of) scan.see(kernels::looked_at(each));
      }
      all.sum[g] = sum_of_group([&](int j) { return to_double(x_of.of[j]); });
    }
    all.set_range(scan);
    return all;
  }

  __device__ bool one_is_enough() const { return range.none() || range.fits(log_count); }
  /// Windows that are enough; more than there may be, if sums could be beyond double.
  __device__ window_split split() const {
    if (one_is_enough()) return {};
    const window_layout by(range.top(), range.bottom(), log_count);
    return {by.in_range(by.count) ? by.count : INT_MAX, by.start(), by.down()};
  }

  /// The prefix sums of one window or two, which begin at `sums`: sums[g] is that in front of group g of the warp, up
  /// to the one behind all groups.
  template <int Windows>
  __device__ void put_windows(double* sums, const window_split& split) const {
    if constexpr (Windows == 1) {
      put(sums, sum);
    } else {
      double high[Groups], low[Groups];
      halves(split, high, low);
      put(sums, high);
      put(sums + stride, low);
    }
  }
  /// The same of two sums of any elements, which parts_of(x, two numbers) splits them into. In a few instructions, one
  /// group after the other.
  template <class Split>
  __device__ void put_parts(double* sums, const Split& parts_of) const {
    double* const mine = sums + lane_of_thread() * Groups;
#pragma unroll 1
    for (int g = 0; g < Groups; ++g) {
      double all[2] = {};
      for (const T& x : first[g].of) {
        double part[2];
        parts_of(to_double(x), part);
        all[0] += part[0];
        all[1] += part[1];
      }
      mine[g] = all[0];
      mine[stride + g] = all[1];
    }
    double of_groups[Groups];
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
#pragma unroll
      for (int g = 0; g < Groups; ++g) of_groups[g] = mine[k * stride + g];
      __syncwarp();
      put(sums + k * stride, of_groups);
    }
  }

  /// What a number is to the prefix sums of marks: counts of NaN, +Inf and -Inf, in twelve bits each.
  __device__ static double mark_of(double x) { return x - x == 0 ? 0.0 : x != x ? 1.0 : x > 0 ? 0x1p12 : 0x1p24; }
  __device__ static special_marks marks_of(double sum) {
    const auto counts = static_cast<std::uint64_t>(sum);
    special_marks marks;
    marks.bits = ((counts & 0xfffu) != 0 ? special_marks::nan : 0u) |
                 ((counts >> 12 & 0xfffu) != 0 ? special_marks::positive_infinity : 0u) |
                 (counts >> 24 != 0 ? special_marks::negative_infinity : 0u);
    return marks;
  }
  /// The range of what is finite.
  __device__ void look_at_finite() {
    magnitude_scan<T> scan;
#pragma unroll 1
    for (int g = 0; g < Groups; ++g) {
      for (const T& each : first[g].of) {
        const double x = to_double(each);
        if (x - x == 0) scan.see(kernels::looked_at(each));
      }
    }
    if constexpr (std::is_same_v<T, f16>) {
      for (double& each : sum) each = 0;
    }
    set_range(scan);
  }

  /// The sum of all elements in one window or two, in all lanes.
  template <int Windows>
  __device__ exact_pair total(const window_split& split) const {
    if constexpr (Windows == 1) {
      return {sum_of_warp(sum), 0.0};
    } else {
      double high[Groups], low[Groups];
      halves(split, high, low);
      return {sum_of_warp(high), sum_of_warp(low)};
    }
  }

 private:
  __device__ void set_range(const magnitude_scan<T>& scan) {
    if constexpr (std::is_same_v<T, f16>) {
      // All are multiples of 2^-24 below 2^16: one window is enough, and nothing has to be looked at but infinities.
      constexpr unsigned top = 15 + 127, bottom = 256 - (127 + 10 - 24);
      double all = sum[0];
#pragma unroll
      for (int g = 1; g < Groups; ++g) all += sum[g];
      range.fields = (__all_sync(kernels::whole_warp, all - all == 0) ? top : 255u) << 16 | bottom;
    } else {
      const exponent_range<T> mine(scan);
      range.fields = __reduce_max_sync(kernels::whole_warp, mine.fields >> 16) << 16 |
                     __reduce_max_sync(kernels::whole_warp, mine.fields & 0xffffu);
    }
  }

  // All of these sums are exact, in any order.
  template <class Part>
  __device__ static double sum_of_group(const Part& part) {
    if constexpr (group == 2) return part(0) + part(1);
    else return (part(0) + part(1)) + (part(2) + part(3));
  }
  __device__ void halves(const window_split& split, double (&high)[Groups], double (&low)[Groups]) const {
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      const element_group<T> x = first[g];
      double part[group];
#pragma unroll
      for (int j = 0; j < group; ++j) part[j] = window_split::part_of(to_double(x.of[j]), split.start);
      high[g] = sum_of_group([&](int j) { return part[j]; });
      low[g] = sum_of_group([&](int j) { return multifold::detail::plain_difference(to_double(x.of[j]), part[j]); });
    }
  }
  // By halves, since additions take longer than their turns.
  template <int First = 0, int Count = Groups>
  __device__ static double sum_of_lane(const double (&of_groups)[Groups]) {
    if constexpr (Count == 1) return of_groups[First];
    else return sum_of_lane<First, Count / 2>(of_groups) + sum_of_lane<First + Count / 2, Count - Count / 2>(of_groups);
  }
  __device__ static double sum_of_warp(const double (&of_groups)[Groups]) {
    double all = sum_of_lane(of_groups);
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) all += __shfl_xor_sync(kernels::whole_warp, all, mask);
    return all;
  }
  __device__ static void put(double* sums, const double (&of_groups)[Groups]) {
    const int lane = lane_of_thread();
    const double mine = sum_of_lane(of_groups);
    // Of the last 4 lanes, of the last 16, and of all: three exchanges one after the other in place of five.
    const auto from_below = [&](double x, int down) {
      const double other = __shfl_up_sync(kernels::whole_warp, x, down);
      return lane >= down ? other : 0.0;
    };
    double before = mine;
#pragma unroll
    for (int down = 1; down < 16; down *= 4)
      before = (before + from_below(before, down)) + (from_below(before, 2 * down) + from_below(before, 3 * down));
    before += from_below(before, 16);
    before -= mine;
    sums += lane * Groups;
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      sums[g] = before;
      before += of_groups[g];
    }
    if (lane == 31) sums[Groups] = before;
  }
};

}  // namespace multifold::inline v0_1::cuda::segments
