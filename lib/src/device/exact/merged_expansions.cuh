// The sums that the lanes of a group have in expansions, merged in windows: two exchanges of a few numbers, where to
// add one expansion to another is a long chain of operations, lane by lane. See docs/exact-sums.md, 14.
#pragma once

#include "device/exact/group_exchange.cuh"
#include "multifold/exact/expansions/expansion.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// What a group has to know of the parts of its lanes before it adds them up.
struct parts_look {
  exponent_range<double> range;  // not finite if a sum is lost
  double zero = -0.0;            // the sum of the leading parts, of which the sign counts, if all are zeros
};
__device__ inline void merge_with(parts_look& look, int mask) {
  merge_with(look.range, mask);
  merge_with(look.zero, mask);
}

/// A lane's sum, which becomes that of its group.
template <int Parts>
struct merged_expansion {
  static constexpr int few = 4, most = 8;  // windows

  expansion<Parts>& sum;
  parts_look look;
  double windows[few];

  __device__ explicit merged_expansion(expansion<Parts>& of_lane) : sum(of_lane) {
    magnitude_scan<double> scan;
#pragma unroll
    for (const double part : sum.part) scan.see(part);
    look = {exponent_range<double>(scan), sum.part[0]};
  }

  __device__ bool any() const { return look.range.finite() && !look.range.none(); }
  __device__ window_layout layout(int group) const {
    const int log_count = log_of_count(group * Parts);
    return any() ? window_layout(look.range.top(), look.range.bottom(), log_count) : window_layout(0, 0, log_count);
  }
  __device__ bool fits(const window_layout& by, int count) const {
    return !any() || by.reach(look.range.bottom()) <= by.most_reach(count);
  }
  template <int Count>
  __device__ void put_in_windows(double (&to)[Count], int group) const {
    const window_layout by = layout(group);
    window_sums<Count> all(by);
#pragma unroll
    for (const double part : sum.part) all.add(part);
    all.close(by);
#pragma unroll
    for (int k = 0; k < Count; ++k) to[k] = all.sum[k];
  }
  /// The group's windows have become the sum. More than there may be of them: it is lost.
  template <int Count>
  __device__ void take(const double (&from)[Count], int group) {
    const window_layout by = layout(group);
    sum = {};
    sum.part[0] = look.range.none() ? look.zero : from[0];
    if (look.range.none()) return;
    if (!any() || !fits(by, Count) || !by.in_range(Count)) return sum.lose();
#pragma unroll
    for (int k = 1; k < Count; ++k) {
      if (from[k] != 0) sum.grow(from[k]);
    }
  }
};

/// Adds up each of the sums of a group's lanes, all of which have it then. All lanes of the group must call.
template <int... Parts>
__device__ void merge_expansions(group_slots& slots, int group, expansion<Parts>&... sums) {
  const auto merge = [&](auto... each) {
    merge_group(slots, group, each.look...);
    if ((each.fits(each.layout(group), each.few) && ...)) {
      (each.put_in_windows(each.windows, group), ...);
      merge_group(slots, group, each.windows...);
      (each.take(each.windows, group), ...);
      return;
    }
    const auto alone = [&](auto& one) {
      double windows[one.most];
      one.put_in_windows(windows, group);
      merge_group(slots, group, windows);
      one.take(windows, group);
    };
    (alone(each), ...);
  };
  merge(merged_expansion<Parts>(sums)...);
}

}  // namespace multifold::inline v0_1::cuda::kernels
