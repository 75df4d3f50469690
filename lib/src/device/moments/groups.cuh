// Moments of any batches, of elements of any magnitude: a group of neighbouring lanes a batch, or a part of one,
// element by element. Rows, columns and strided arrays alike; groups of one lane read columns, coalesced. Integers are
// gathered in registers, floating point in limbs of each lane's own.
#pragma once

#include <algorithm>
#include <cstddef>

#include "device/exact/lanes/lane_groups.cuh"
#include "device/moments/arguments.cuh"
#include "device/moments/lane_sums.cuh"
#include "device/moments/tiles/output.cuh"

namespace multifold::inline v0_1::cuda::moments {

using exact::for_each_share;
using exact::read_share;

inline constexpr int group_threads = 256;

template <storage_type T>
struct group_arguments : exact::grouped_batches<T> {
  output to;
  meeting<T> meet;

  __device__ output output_of(std::int64_t batch) const {
    output mine = to;
    if (this->bounds.offsets != nullptr) set_length(mine, this->bounds.length(this->place_of(batch)));
    return mine;
  }
};

/// The words of a part meet those of the others: true in the warp that came last, which then has all of them.
template <storage_type T, moment_set Set>
__device__ bool meet_others(scratch<T, Set>& s, const group_arguments<T>& args, std::int64_t batch, std::int64_t part) {
  using at = moment_words<T, Set>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int64_t* const words = args.meet.words + batch * at::count;
  description_marks<T>* const marks = args.meet.marks + batch * args.shape.parts;
  share_words<T, Set>(s.words, words, lane, 32);
  if (Set == moment_set::description && lane == 0) marks[part] = s.extremes;
  if (!exact::last_warp_to_arrive(args.meet.arrivals + batch, args.shape.parts)) return false;
  for (int i = lane; i < at::count; i += 32) s.words[i] = __ldcg(reinterpret_cast<const long long*>(words) + i);
  if constexpr (Set == moment_set::description) {
    const description_marks<T> all = extremes_of_parts(marks, args.shape.parts);
    if (lane == 0) s.extremes = all;
  }
  __syncwarp();
  return true;
}

/// Ends the work of those groups that are not `done`: `fill(leader)` writes the words of one, which are zero.
template <storage_type T, moment_set Set, class Fill>
__device__ void finish_groups(const group_arguments<T>& args, scratch<T, Set>& s, std::int64_t batch, std::int64_t part,
                              bool done, const Fill& fill) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned finished = __ballot_sync(kernels::whole_warp, done);
#pragma unroll 1
  for (int leader = 0; leader < 32; leader += args.group) {
    if ((finished >> leader & 1u) != 0) continue;
    for (int i = lane; i < moment_words<T, Set>::count; i += 32) s.words[i] = 0;
    __syncwarp();
    fill(leader);
    __syncwarp();
    const std::int64_t batch_of_group = __shfl_sync(kernels::whole_warp, batch, leader);
    const std::int64_t part_of_group = __shfl_sync(kernels::whole_warp, part, leader);
    if (args.shape.parts > 1 && !meet_others(s, args, batch_of_group, part_of_group)) continue;
    deliver(s, args.to, args.place_of(batch_of_group), args.length_of(batch_of_group));
  }
}

template <floating_storage T, moment_set Set>
__device__ void take_in_limbs(const group_arguments<T>& args) {
  using memory = lane_memory<T, Set>;
  static_assert(sizeof(memory) <= moment_words<T, Set>::warp_bytes);
  extern __shared__ __align__(16) std::byte of_block[];
  memory& mine = *reinterpret_cast<memory*>(of_block + threadIdx.x / 32 * sizeof(memory));
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = lane; i < 32 * moment_words<T, Set>::lane_limbs; i += 32) mine.limbs[i] = 0;
  __syncwarp();
  for_each_share(args, [&](std::int64_t batch, std::int64_t part, bool wanted) {
    lane_sums<T, Set> sums(mine.limbs, &mine.extremes[Set == moment_set::description ? lane : 0]);
    if (wanted) {
      read_share<reads_two_arrays(Set)>(args, batch, part, lane % args.group,
                                        [&](T a, T b, std::int64_t index) { sums.add(a, b, index, args.to.nan); });
      if (sums.special()) {
        sums.restart();
        lane_sums<T, Set> slow = sums;
        read_share<reads_two_arrays(Set)>(args, batch, part, lane % args.group,
                                          [&](T a, T b, std::int64_t) { slow.add_any(a, b, args.to.nan); });
        sums = slow;
      }
    }
    __syncwarp();
    sums.merge(args.group);
    __syncwarp();
    bool done = !wanted;
    if (wanted && lane % args.group == 0 && args.shape.parts == 1 && !args.to.merge) {
      near_totals totals;
      exact_value total;
      const kernels::device_length length = args.length_of(batch);
      if (length.in_range() && sums.to_totals(totals, total)) {
        const moment_output<T, Set> to{args.output_of(batch), nullptr, length};
        const std::int64_t place = args.place_of(batch);
        done = to.deliver(place, totals);
        if (!moment_words<T, Set>::deviates && !done && length > 0) done = to.deliver(place, total);
      }
    }
    __syncwarp();
    finish_groups(args, mine.words, batch, part, done, [&](int leader) { sums.copy(leader, mine.words); });
    __syncwarp();
    sums.clear();
    __syncwarp();
  });
}

template <storage_type T, moment_set Set>
requires(!floating_storage<T>) __device__ void take_in_registers(const group_arguments<T>& args) {
  __shared__ raw_memory<scratch<T, Set>, group_threads / 32> of_warp;
  __shared__ raw_memory<description_marks<T>, Set == moment_set::description ? group_threads : 1> of_thread;
  scratch<T, Set>& s = of_warp[static_cast<int>(threadIdx.x) / 32];
  description_marks<T>* const seen = &of_thread[Set == moment_set::description ? static_cast<int>(threadIdx.x) : 0];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for_each_share(args, [&](std::int64_t batch, std::int64_t part, bool wanted) {
    gather<T, Set> mine(seen, has_sign(args.element));
    if (wanted) {
      read_share<reads_two_arrays(Set)>(args, batch, part, lane % args.group,
                                        [&](T a, T b, std::int64_t index) { mine.add(a, b, index); });
    }
    mine.merge_lanes(args.group);
    description_marks<T> extremes;
    if constexpr (Set == moment_set::description) {
      extremes = *seen;
      merge_extremes(extremes, args.group);
    }
    finish_groups(args, s, batch, part, !wanted, [&](int leader) {
      if (lane != leader) return;
      mine.add_sums_to(s.words);
      s.extremes = extremes;
    });
  });
}

template <storage_type T, moment_set Set>
__global__ void __launch_bounds__(group_threads) moment_groups(const __grid_constant__ group_arguments<T> args) {
  if constexpr (floating_storage<T>) take_in_limbs<T, Set>(args);
  else take_in_registers<T, Set>(args);
}

/// The words of a warp that lowers sums: room for those of any set.
template <storage_type T>
inline constexpr std::size_t most_scratch_bytes =
    std::max({sizeof(scratch<T, moment_set::absolute>), sizeof(scratch<T, moment_set::squares>),
              sizeof(scratch<T, moment_set::spread>), sizeof(scratch<T, moment_set::products>),
              sizeof(scratch<T, moment_set::joint>), sizeof(scratch<T, moment_set::description>)});

template <storage_type T, moment_set Set>
__device__ void lower_sums(const carried_sums<T, Set>* sums, std::int64_t count, const output& to, scratch<T, Set>& s) {
  using at = moment_words<T, Set>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * (group_threads / 32);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * (group_threads / 32) + threadIdx.x / 32; i < count;
       i += stride) {
    const carried_sums<T, Set>& from = sums[i];
    std::int64_t n = 0;
    const auto take = [&](const auto& sum, std::int64_t* limb) {
      constexpr int limbs = std::remove_cvref_t<decltype(sum)>::limbs_type::count;
      for (int k = lane; k < limbs; k += 32) limb[k] = sum.lazy_limbs().limb[k];
      const exact_counters& c = sum.counters();
      n = c.n;
      if (lane != 0) return;
      limb[limbs] = c.nan;
      limb[limbs + 1] = c.positive_infinity;
      limb[limbs + 2] = c.negative_infinity;
      limb[limbs + 3] = c.not_negative_zero;
    };
    if constexpr (sums_elements(Set)) take(from.x, s.words + at::x);
    if constexpr (Set == moment_set::joint) take(from.y, s.words + at::y);
    if constexpr (sums_products(Set)) take(from.products, s.words + at::products);
    if (lane == 0) {
      s.words[at::omitted] = 0;
      if constexpr (Set == moment_set::description) {
        s.words[at::nans] = from.marks.nan;
        s.words[at::positive_infinities] = from.marks.positive_infinity;
        s.words[at::negative_infinities] = from.marks.negative_infinity;
        s.words[at::zeros] = from.marks.zero;
        s.extremes = from.marks;
      }
    }
    deliver(s, to, i, kernels::device_length{n, nullptr});
  }
}

/// Sums in memory to results, a warp each.
template <storage_type T>
__global__ void __launch_bounds__(group_threads)
    lower_moments(const void* sums, moment_set set, std::int64_t count, const __grid_constant__ output to) {
  constexpr std::size_t bytes = (most_scratch_bytes<T> + 15) / 16 * 16;
  __shared__ __align__(16) std::byte of_warp[group_threads / 32 * bytes];
  std::byte* const mine = of_warp + threadIdx.x / 32 * bytes;
  const auto lower = [&]<moment_set Set>() {
    lower_sums(static_cast<const carried_sums<T, Set>*>(sums), count, to, *reinterpret_cast<scratch<T, Set>*>(mine));
  };
  switch (set) {
    case moment_set::absolute: return lower.template operator()<moment_set::absolute>();
    case moment_set::squares: return lower.template operator()<moment_set::squares>();
    case moment_set::spread: return lower.template operator()<moment_set::spread>();
    case moment_set::products: return lower.template operator()<moment_set::products>();
    case moment_set::joint: return lower.template operator()<moment_set::joint>();
    case moment_set::description: return lower.template operator()<moment_set::description>();
  }
}

}  // namespace multifold::inline v0_1::cuda::moments
