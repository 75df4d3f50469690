// Moments of any batches: a group of neighbouring lanes a batch, or a part of one, element by element. Rows, columns
// and strided arrays alike; a group of one lane reads columns, side by side with its neighbours.
//
// What the registers of a group do not hold is read again by the whole warp, which has words in shared memory.
#pragma once

#include "device/moments/arguments.cuh"
#include "device/moments/quick.cuh"
#include "device/moments/windows.cuh"

namespace multifold::cuda::moments {

inline constexpr int group_threads = 256;

/// One array, or two of the same layout, whose elements are read as their carrier.
template <storage_type T>
struct group_arguments {
  const std::byte* x;
  const std::byte* y;
  dtype element;
  int group;  // lanes: a power of two up to 32
  kernels::strided_runs runs;
  extent shape;
  output to;
  meeting<T> meet;
  const unsigned* only;  // bits of the batches that are wanted, or null: all of them

  __device__ bool wants(std::int64_t batch) const {
    return only == nullptr || (only[batch / 32] >> (batch % 32) & 1u) != 0;
  }
  __device__ std::int64_t offset_of(std::int64_t batch) const {
    return kernels::offset_in(runs.kept_extent, runs.kept_stride, runs.kept_count, batch);
  }
  __device__ std::int64_t offset_in_batch(std::int64_t index) const {
    return kernels::offset_in(runs.reduced_extent, runs.reduced_stride, runs.reduced_count, index);
  }
  __device__ T load(const std::byte* from, std::int64_t at) const {
    const auto as = [&](auto like) { return carried(reinterpret_cast<const decltype(like)*>(from)[at]); };
    if constexpr (std::is_same_v<T, double>) {
      return as(double{});
    } else if constexpr (std::is_same_v<T, float>) {
      return element == dtype::f32 ? as(float{}) : element == dtype::f16 ? as(f16{}) : as(bf16{});
    } else if constexpr (std::is_signed_v<T>) {
      return element == dtype::i64   ? as(std::int64_t{})
             : element == dtype::i32 ? as(std::int32_t{})
             : element == dtype::i16 ? as(std::int16_t{})
                                     : as(std::int8_t{});
    } else {
      return element == dtype::u64   ? as(std::uint64_t{})
             : element == dtype::u32 ? as(std::uint32_t{})
             : element == dtype::u16 ? as(std::uint16_t{})
             : element == dtype::u8  ? as(std::uint8_t{})
                                     : as(bool8{});
    }
  }
};

/// Elements lane, lane + lanes, ... of those that part `part` of the batch at `offset` has: turns of `group` elements
/// are dealt to the parts.
template <storage_type T, moment_set Set>
__device__ void read_share(const group_arguments<T>& args, std::int64_t offset, std::int64_t part, int lane, int lanes,
                           gather<T, Set>& into) {
  constexpr int together = sizeof(T) == 4 ? 8 : 4;
  const extent& e = args.shape;
  const std::int64_t length = e.length;
  const std::int64_t turn = e.parts * args.group;
  const std::int64_t step = static_cast<std::int64_t>(lanes / args.group) * turn;
  std::int64_t i = part * args.group + lane / args.group * turn + lane % args.group;
  const auto load = [&](std::int64_t index, T& a, T& b) {
    const std::int64_t at = offset + args.offset_in_batch(index);
    a = args.load(args.x, at);
    b = reads_two_arrays(Set) ? args.load(args.y, at) : a;
  };
  step_state<Set, closed_windows> state;
  for (; i + (together - 1) * step < length; i += together * step) {
    T a[together], b[together];
#pragma unroll
    for (int k = 0; k < together; ++k) load(i + k * step, a[k], b[k]);
    const auto index = [&](int k) { return e.first_index + i + k * step; };
    if constexpr (std::is_same_v<T, float>) {
      add_step(into, state, a, b, index);
    } else if constexpr (std::is_same_v<T, double>) {
      into.add_all(a, b, index);
    } else {
#pragma unroll
      for (int k = 0; k < together; ++k) into.add(a[k], b[k], index(k));
    }
  }
  for (; i < length; i += step) {
    T a, b;
    load(i, a, b);
    into.add(a, b, e.first_index + i);
  }
}

/// The words of a part meet those of the others: true in the warp that came last, which then has all of them.
template <storage_type T, moment_set Set>
__device__ bool meet_others(scratch<T, Set>& s, const group_arguments<T>& args, std::int64_t batch, std::int64_t part) {
  using at = moment_words<T, Set>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int64_t* const words = args.meet.words + batch * at::count;
  description_marks<T>* const marks = args.meet.marks + batch * args.shape.parts;
  share_words<T, Set>(s.words, words, lane, 32);
  if (Set == moment_set::description && lane == 0) marks[part] = s.extremes;
  __threadfence();
  __syncwarp();
  unsigned before = 0;
  if (lane == 0) before = atomicAdd(args.meet.arrivals + batch, 1u);
  if (__shfl_sync(kernels::whole_warp, before, 0) + 1 != static_cast<unsigned>(args.shape.parts)) return false;
  __threadfence();
  for (int i = lane; i < at::count; i += 32) s.words[i] = __ldcg(reinterpret_cast<const long long*>(words) + i);
  if constexpr (Set == moment_set::description) {
    const description_marks<T> all = extremes_of_parts(marks, args.shape.parts);
    if (lane == 0) s.extremes = all;
  }
  __syncwarp();
  return true;
}

template <storage_type T, moment_set Set>
__global__ void __launch_bounds__(group_threads) moment_groups(const __grid_constant__ group_arguments<T> args) {
  using at = moment_words<T, Set>;
  __shared__ raw_memory<scratch<T, Set>, group_threads / 32> of_warp;
  scratch<T, Set>& s = of_warp[static_cast<int>(threadIdx.x) / 32];
  __shared__ raw_memory<description_marks<T>, Set == moment_set::description ? group_threads : 1> of_thread;
  description_marks<T>* const seen = &of_thread[Set == moment_set::description ? static_cast<int>(threadIdx.x) : 0];
  const int lane = static_cast<int>(threadIdx.x) % 32, group = args.group, groups = 32 / group;
  const extent& e = args.shape;
  const std::int64_t items = e.batches * e.parts;
  const std::int64_t warps = blockDim.x / 32, warp = blockIdx.x * warps + threadIdx.x / 32;
  const std::int64_t stride = gridDim.x * warps * groups;

  for (std::int64_t first = warp * groups; first < items; first += stride) {
    const std::int64_t item = first + lane / group;
    const std::int64_t batch = item % e.batches, part = item / e.batches;
    const bool wanted = item < items && args.wants(batch);
    const unsigned unwanted = __ballot_sync(kernels::whole_warp, !wanted);
    if (unwanted == kernels::whole_warp) continue;
    gather<T, Set> mine(nullptr, seen, args.to.nan);
    if (wanted) read_share(args, args.offset_of(batch), part, lane % group, group, mine);
    mine.merge_lanes(group);
    description_marks<T> extremes;
    if constexpr (Set == moment_set::description) {
      extremes = *seen;
      merge_extremes(extremes, group);
    }
    const unsigned lost = __ballot_sync(kernels::whole_warp, mine.lost());
    const auto lanes_of = [&](int leader) { return (group == 32 ? 0xffffffffu : (1u << group) - 1) << leader; };
    const bool leads = wanted && lane % group == 0 && e.parts == 1 && (lost & lanes_of(lane)) == 0;
    const bool done = leads && deliver_quickly(mine, args.to, batch, e.length);
    const unsigned finished = __ballot_sync(kernels::whole_warp, done);

    for (int g = 0; g < groups && first + g < items; ++g) {
      const int leader = g * group;
      if (((finished | unwanted) >> leader & 1u) != 0) continue;
      const std::int64_t batch_of_g = (first + g) % e.batches, part_of_g = (first + g) / e.batches;
      for (int i = lane; i < at::count; i += 32) s.words[i] = 0;
      __syncwarp();
      if ((lost & lanes_of(leader)) == 0) {
        if (lane == leader) {
          mine.add_sums_to(s.words);
          s.extremes = extremes;
        }
      } else {
        gather<T, Set> again(s.words, seen, args.to.nan);
        read_share(args, args.offset_of(batch_of_g), part_of_g, lane, 32, again);
        settle(again, s.words);
        if constexpr (Set == moment_set::description) {
          description_marks<T> all = *seen;
          merge_extremes(all, 32);
          if (lane == 0) s.extremes = all;
        }
      }
      __syncwarp();
      if (e.parts > 1 && !meet_others(s, args, batch_of_g, part_of_g)) continue;
      deliver(s, args.to, batch_of_g, e.length);
    }
  }
}

/// Sums in memory to results, a warp each.
template <storage_type T, moment_set Set>
__global__ void __launch_bounds__(group_threads)
    lower_moments(const carried_sums<T, Set>* sums, std::int64_t count, const __grid_constant__ output to) {
  using at = moment_words<T, Set>;
  __shared__ raw_memory<scratch<T, Set>, group_threads / 32> of_warp;
  scratch<T, Set>& s = of_warp[static_cast<int>(threadIdx.x) / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * (group_threads / 32);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * (group_threads / 32) + threadIdx.x / 32; i < count;
       i += stride) {
    const carried_sums<T, Set>& from = sums[i];
    std::int64_t n = 0;
    const auto take = [&](const auto& sum, std::int64_t* digit) {
      constexpr int digits = std::remove_cvref_t<decltype(sum)>::digits_type::count;
      for (int k = lane; k < digits; k += 32) digit[k] = sum.lazy_digits().digit[k];
      const exact_counters& c = sum.counters();
      n = c.n;
      if (lane != 0) return;
      digit[digits] = c.nan;
      digit[digits + 1] = c.positive_infinity;
      digit[digits + 2] = c.negative_infinity;
      digit[digits + 3] = c.not_negative_zero;
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

template <storage_type T, moment_set Set>
__global__ void __launch_bounds__(group_threads)
    fill_moments(carried_sums<T, Set>* sums, std::int64_t count, const __grid_constant__ carried_sums<T, Set> nothing) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    sums[i] = nothing;
  }
}

}  // namespace multifold::cuda::moments
