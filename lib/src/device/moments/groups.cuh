// Moments of any batches, of elements of any magnitude: a group of neighbouring lanes a batch, or a part of one,
// element by element. Rows, columns and strided arrays alike; a group of one lane reads columns, side by side with its
// neighbours. Integers are gathered in registers, floating point in digits of each lane's own.
#pragma once

#include "device/moments/arguments.cuh"
#include "device/moments/lane_sums.cuh"
#include "device/moments/tile_output.cuh"

namespace multifold::cuda::moments {

inline constexpr int group_threads = 256;

/// Out of line, since few batches lie in several runs and the divisions are many instructions.
__device__ __noinline__ inline std::int64_t offset_over_runs(const kernels::strided_runs& runs, std::int64_t index) {
  return kernels::offset_in(runs.reduced_extent, runs.reduced_stride, runs.reduced_count, index);
}

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

  /// Bits of `batch` and those behind it in its word: whether they are wanted.
  __device__ unsigned wants(std::int64_t batch) const {
    return only == nullptr ? 0xffffffffu : only[batch / 32] >> (batch % 32);
  }
  __device__ std::int64_t offset_of(std::int64_t batch) const {
    return kernels::offset_in(runs.kept_extent, runs.kept_stride, runs.kept_count, batch);
  }
  __device__ std::int64_t offset_in_batch(std::int64_t index) const {
    return runs.reduced_count == 1 ? index * runs.reduced_stride[0] : offset_over_runs(runs, index);
  }

  /// The bits of an element as they are in memory. Nothing waits for them before value_of().
  using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  __device__ bits_type load(const std::byte* from, std::int64_t at) const {
    bits_type bits = 0;
    if constexpr (std::is_same_v<T, double>) {
      bits = reinterpret_cast<const std::uint64_t*>(from)[at];
    } else {
      const auto bytes = static_cast<int>(item_bytes(element));
      if constexpr (sizeof(T) == 8) {
        if (bytes == 8) bits = reinterpret_cast<const std::uint64_t*>(from)[at];
        if (bytes == 1) bits = reinterpret_cast<const std::uint8_t*>(from)[at];
      }
      if (bytes == 4) bits = reinterpret_cast<const std::uint32_t*>(from)[at];
      if (bytes == 2) bits = reinterpret_cast<const std::uint16_t*>(from)[at];
    }
    return bits;
  }
  __device__ T value_of(bits_type bits) const {
    if constexpr (std::is_same_v<T, double>) {
      return bit_copy<double>(bits);
    } else if constexpr (std::is_same_v<T, float>) {
      const auto low = static_cast<std::uint16_t>(bits);
      return element == dtype::f32   ? bit_copy<float>(bits)
             : element == dtype::f16 ? carried(bit_copy<f16>(low))
                                     : carried(bit_copy<bf16>(low));
    } else {
      if (element == dtype::boolean) return bits != 0 ? 1 : 0;
      const int above = 64 - 8 * static_cast<int>(item_bytes(element));
      return static_cast<T>(bits << above) >> above;  // with the sign that T has
    }
  }
};

/// The elements of part `part` of the batch at `offset` that are a lane's, a few at a time: turns of `group` elements
/// are dealt to the parts. `add(x, y, index)` takes them while the next ones are on their way.
template <storage_type T, moment_set Set, class Add>
__device__ void read_share(const group_arguments<T>& args, std::int64_t offset, std::int64_t part, int lane,
                           const Add& add) {
  constexpr int together = 4;
  using bits_type = typename group_arguments<T>::bits_type;
  const extent& e = args.shape;
  const std::int64_t length = e.length, step = e.parts * args.group;
  bits_type x[together], y[together], next_x[together], next_y[together];
  const auto load = [&](std::int64_t first, bits_type(&a)[together], bits_type(&b)[together]) {
    std::int64_t at[together];
#pragma unroll
    for (int k = 0; k < together; ++k) at[k] = offset + args.offset_in_batch(min(first + k * step, length - 1));
#pragma unroll
    for (int k = 0; k < together; ++k) {
      a[k] = args.load(args.x, at[k]);
      b[k] = reads_two_arrays(Set) ? args.load(args.y, at[k]) : a[k];
    }
  };
  std::int64_t i = part * args.group + lane;
  if (i >= length) return;
  load(i, x, y);
  while (i < length) {
    const std::int64_t next = i + together * step;
    load(next, next_x, next_y);  // those behind the end are the last one, and nobody takes them
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k * step < length) add(args.value_of(x[k]), args.value_of(y[k]), e.first_index + i + k * step);
      x[k] = next_x[k];
      y[k] = next_y[k];
    }
    i = next;
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

/// Calls take(batch, part, wanted) with the groups of a warp, as long as one of them has anything to do. A turn is as
/// many batches as a warp has groups, all in one word of `only`; a warp looks at 32 turns at a time.
template <storage_type T, class Take>
__device__ void for_each_share(const group_arguments<T>& args, const Take& take) {
  const extent& e = args.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32, groups = 32 / args.group;
  const std::int64_t turns_a_part = (e.batches + 31) / 32 * args.group, turns = turns_a_part * e.parts;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32);
  const unsigned whole = groups == 32 ? 0xffffffffu : (1u << groups) - 1;
  for (std::int64_t first = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; first < turns; first += 32 * warps) {
    const std::int64_t mine = first + lane * warps;
    unsigned wanted = 0;
    if (mine < turns) {
      const std::int64_t batch = mine % turns_a_part * groups;
      wanted = args.wants(batch) & whole;
      if (e.batches - batch < groups) wanted &= batch < e.batches ? (1u << (e.batches - batch)) - 1 : 0u;
    }
    unsigned ready = __ballot_sync(kernels::whole_warp, wanted != 0);
#pragma unroll 1
    for (; ready != 0; ready &= ready - 1) {
      const int turn = __ffs(static_cast<int>(ready)) - 1;
      const unsigned of_turn = __shfl_sync(kernels::whole_warp, wanted, turn);
      const std::int64_t number = first + turn * warps;
      const int group = lane / args.group;
      take(number % turns_a_part * groups + group, number / turns_a_part, (of_turn >> group & 1u) != 0);
    }
  }
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
    deliver(s, args.to, batch_of_group, args.shape.length);
  }
}

template <floating_storage T, moment_set Set>
__device__ void take_in_digits(const group_arguments<T>& args) {
  using memory = lane_memory<T, Set>;
  static_assert(sizeof(memory) <= moment_words<T, Set>::warp_bytes);
  extern __shared__ __align__(16) std::byte of_block[];
  memory& mine = *reinterpret_cast<memory*>(of_block + threadIdx.x / 32 * sizeof(memory));
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const moment_output<T, Set> output{args.to, nullptr, args.shape.length};
  for (int i = lane; i < 32 * moment_words<T, Set>::lane_digits; i += 32) mine.digits[i] = 0;
  __syncwarp();
  for_each_share(args, [&](std::int64_t batch, std::int64_t part, bool wanted) {
    lane_sums<T, Set> sums(mine.digits, &mine.extremes[Set == moment_set::description ? lane : 0]);
    if (wanted) {
      const std::int64_t offset = args.offset_of(batch);
      read_share<T, Set>(args, offset, part, lane % args.group,
                         [&](T a, T b, std::int64_t index) { sums.add(a, b, index, args.to.nan); });
      if (sums.special) {
        sums.restart();
        lane_sums<T, Set> slow = sums;
        read_share<T, Set>(args, offset, part, lane % args.group,
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
      if (args.shape.length.in_range() && sums.to_totals(totals, total)) {
        done = output.deliver(batch, totals);
        if (!moment_words<T, Set>::deviates && !done && args.shape.length > 0) done = output.deliver(batch, total);
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
    gather<T, Set> mine(seen);
    if (wanted) {
      read_share<T, Set>(args, args.offset_of(batch), part, lane % args.group,
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
  if constexpr (floating_storage<T>) take_in_digits<T, Set>(args);
  else take_in_registers<T, Set>(args);
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
