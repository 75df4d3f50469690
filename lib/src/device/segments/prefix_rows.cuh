// Exact prefix sums of the elements that a warp has in shared memory: rows of neighbours a lane. Elements are split
// into windows that the exponents of all of them ask for (exact/windows.hpp), and the prefix sums of each window are
// exact, so that the sum of any range is a difference of two of them. See docs/exact-sums.md, 14.
#pragma once

#include <climits>
#include <cstdint>

#include "device/exact/run_sums.cuh"

namespace multifold::cuda::segments {

using kernels::special_marks;

__device__ inline int lane_of_thread() { return static_cast<int>(threadIdx.x % 32); }

/// A lane's elements, and what the warp knows of those of all lanes.
template <int Row, floating_storage T>
struct lane_row {
  static constexpr int elements = 32 * Row, stride = elements + 1;  // from the sums of a window to those of the next
  static constexpr int log_count = Row <= 4 ? 7 : Row <= 16 ? 9 : 10;
  static_assert(elements <= 1 << log_count);

  T value[Row];
  exponent_range<T> range;

  /// `n` elements from x on. Behind them zeros count, which are there if `Filled`.
  template <bool Filled>
  __device__ static lane_row of(const T* x, int n) {
    lane_row all;
    magnitude_scan<T> scan;
    const int first = lane_of_thread() * Row;
#pragma unroll
    for (int j = 0; j < Row; ++j) {
      all.value[j] = Filled || first + j < n ? x[first + j] : T{};
      scan.see(kernels::looked_at(all.value[j]));
    }
    all.set_range(scan);
    return all;
  }

  /// Windows that are enough; more than there may be, if sums could be beyond binary64.
  __device__ int windows() const {
    if (range.none() || range.fits(log_count)) return 1;
    const window_layout by = layout();
    return by.in_range(by.count) ? by.count : INT_MAX;
  }

  /// Takes out what is not finite, and puts the prefix sums of its marks there: counts of NaN, +Inf and -Inf, in ten
  /// bits each.
  __device__ void take_specials(double* sums) {
    magnitude_scan<T> scan;
    double marks[Row];
#pragma unroll
    for (int j = 0; j < Row; ++j) {
      const double x = to_double(value[j]);
      const bool finite = x - x == 0;
      marks[j] = finite ? 0.0 : x != x ? 1.0 : x > 0 ? 0x1p10 : 0x1p20;
      if (!finite) value[j] = T{};
      scan.see(kernels::looked_at(value[j]));
    }
    set_range(scan);
    put(sums, [&](int j) { return marks[j]; });
  }
  __device__ static special_marks marks_of(double sum) {
    const auto counts = static_cast<unsigned>(sum);
    special_marks marks;
    marks.bits = ((counts & 0x3ffu) != 0 ? special_marks::nan : 0u) |
                 ((counts >> 10 & 0x3ffu) != 0 ? special_marks::positive_infinity : 0u) |
                 (counts >> 20 != 0 ? special_marks::negative_infinity : 0u);
    return marks;
  }

  /// The prefix sums of one or two windows: sums[i] is that of the elements in front of element i, to 32 Row.
  __device__ void put_windows(double* sums, int count) const {
    if (count == 1) return put(sums, [&](int j) { return to_double(value[j]); });
    const double start = layout().start();
#pragma unroll 1
    for (int k = 0; k < 2; ++k, sums += stride) put(sums, [&](int j) { return half_of(k, j, start); });
  }
  /// The same of any number.
  __device__ void put_many_windows(double* sums, int count) const {
    double rest[Row];
#pragma unroll
    for (int j = 0; j < Row; ++j) rest[j] = to_double(value[j]);
    const window_layout by = layout();
    double start = by.start();
#pragma unroll 1
    for (int k = 1; k < count; ++k, start *= by.down(), sums += stride) {
      put(sums, [&](int j) { return part_of(rest[j], start); });
#pragma unroll
      for (int j = 0; j < Row; ++j) rest[j] = multifold::detail::plain_difference(rest[j], part_of(rest[j], start));
    }
    put(sums, [&](int j) { return rest[j]; });
  }

  /// The sum of all elements in one or two windows, in all lanes.
  __device__ exact_pair total(int count) const {
    if (count == 1) return {sum_of_warp([&](int j) { return to_double(value[j]); }), 0.0};
    const double start = layout().start();
    double sum[2];
#pragma unroll 1
    for (int k = 0; k < 2; ++k) sum[k == 0 ? 0 : 1] = sum_of_warp([&](int j) { return half_of(k, j, start); });
    return {sum[0], sum[1]};
  }

 private:
  __device__ window_layout layout() const {
    return range.none() ? window_layout(0, 0, log_count) : window_layout(range.top(), range.bottom(), log_count);
  }
  __device__ void set_range(const magnitude_scan<T>& scan) {
    const exponent_range<T> mine(scan);
    range.fields = __reduce_max_sync(kernels::whole_warp, mine.fields >> 16) << 16 |
                   __reduce_max_sync(kernels::whole_warp, mine.fields & 0xffffu);
  }

  // What the window that starts there takes of a number.
  __device__ static double part_of(double x, double start) {
    return multifold::detail::plain_difference(multifold::detail::plain_sum(x, start), start);
  }
  // What window `k` of two has of an element. In a loop that stays one: there are no registers for both at a time.
  __device__ double half_of(int k, int j, double start) const {
    const double x = to_double(value[j]), part = part_of(x, start);
    return k == 0 ? part : multifold::detail::plain_difference(x, part);
  }

  // All of these sums are exact, in any order.
  template <class Part>
  __device__ static double sum_of_lane(const Part& part) {
    double sum = part(0);
#pragma unroll
    for (int j = 1; j < Row; ++j) sum += part(j);
    return sum;
  }
  template <class Part>
  __device__ static double sum_of_warp(const Part& part) {
    double sum = sum_of_lane(part);
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(kernels::whole_warp, sum, mask);
    return sum;
  }
  template <class Part>
  __device__ static void put(double* sums, const Part& part) {
    const int lane = lane_of_thread();
    const double mine = sum_of_lane(part);
    double before = mine;
#pragma unroll
    for (int down = 1; down < 32; down *= 2) {
      const double other = __shfl_up_sync(kernels::whole_warp, before, down);
      if (lane >= down) before += other;
    }
    before -= mine;
#pragma unroll
    for (int j = 0; j < Row; ++j) {
      sums[lane * Row + j] = before;
      before += part(j);
    }
    if (lane == 31) sums[elements] = before;
  }
};

}  // namespace multifold::cuda::segments
