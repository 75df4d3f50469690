// Any batches read by groups of neighbouring lanes, element by element: a group a batch, or a part of one. Rows,
// columns and strided arrays alike; groups of one lane read columns, coalesced.
#pragma once

#include <cstdint>

#include "device/segments/bounds.cuh"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// The shape of a pass; elements are numbered from `first_index`.
struct extent {
  std::int64_t batches;
  kernels::device_length length;
  std::int64_t parts, first_index;
};

/// Out of line, since few batches lie in several runs and the divisions are many instructions.
__device__ __noinline__ inline std::int64_t offset_over_runs(const kernels::strided_runs& runs, std::int64_t index) {
  return kernels::offset_in(runs.reduced_extent, runs.reduced_stride, runs.reduced_count, index);
}

/// One array, or two of the same layout, whose elements are read as their carrier.
template <storage_type T>
struct grouped_batches {
  const std::byte* x;
  const std::byte* y;
  dtype element;
  int group;  // lanes: a power of two up to 32
  kernels::strided_runs runs;
  extent shape;
  const unsigned* only;               // bits of the batches that are wanted, or null: all of them
  segments::segment_bounds bounds;    // of batches that are segments, which have lengths of their own
  segments::long_segments long_ones;  // which are put off, or, where these are `put_off`, are the batches
  bool put_off = false;

  __device__ std::int64_t batch_count() const { return put_off ? long_ones.count() : shape.batches; }
  /// Where the result of a batch belongs.
  __device__ std::int64_t place_of(std::int64_t batch) const { return put_off ? long_ones.segment(batch) : batch; }
  /// Whether a batch that is wanted waits for the pass that takes those in parts. All lanes of its group call.
  __device__ bool puts_off(std::int64_t batch, std::int64_t part, int lane) const {
    if (put_off || long_ones.room == 0 || bounds.length(batch) <= long_ones.longest) return false;
    if (part == 0 && lane == 0) long_ones.add(batch);
    return true;
  }

  /// Bits of `batch` and those behind it in its word: whether they are wanted.
  __device__ unsigned wants(std::int64_t batch) const {
    return only == nullptr ? 0xffffffffu : only[batch / 32] >> (batch % 32);
  }
  __device__ kernels::device_length length_of(std::int64_t batch) const {
    if (bounds.offsets != nullptr) return {bounds.length(place_of(batch)), nullptr};
    return shape.length;
  }
  __device__ std::int64_t offset_of(std::int64_t batch) const {
    if (bounds.offsets != nullptr) return bounds[place_of(batch)];
    return kernels::offset_in(runs.kept_extent, runs.kept_stride, runs.kept_count, batch);
  }
  __device__ std::int64_t offset_in_batch(std::int64_t index) const {
    return runs.reduced_count == 1 ? index * runs.reduced_stride[0] : offset_over_runs(runs, index);
  }

  /// The bits of an element as they are in memory. Nothing waits for them before value_of().
  using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  __device__ bits_type load(const std::byte* at, int bytes) const {
    bits_type bits = 0;
    if constexpr (std::is_same_v<T, double>) {
      bits = *reinterpret_cast<const std::uint64_t*>(at);
    } else {
      if constexpr (sizeof(T) == 8) {
        if (bytes == 8) bits = *reinterpret_cast<const std::uint64_t*>(at);
        if (bytes == 1) bits = *reinterpret_cast<const std::uint8_t*>(at);
      }
      if (bytes == 4) bits = *reinterpret_cast<const std::uint32_t*>(at);
      if (bytes == 2) bits = *reinterpret_cast<const std::uint16_t*>(at);
    }
    return bits;
  }
  __device__ int bytes_of_element() const {
    if constexpr (std::is_same_v<T, double>) return 8;
    else return static_cast<int>(item_bytes(element));
  }
  __device__ T value_of(bits_type bits) const {
    if constexpr (std::is_same_v<T, double>) {
      return bit_copy<double>(bits);
    } else if constexpr (std::is_same_v<T, float>) {
      const auto low = static_cast<std::uint16_t>(bits);
      const float half = carried(bit_copy<f16>(low));
      const auto other = bit_copy<float>(bits << (element == dtype::bf16 ? 16 : 0));
      return element == dtype::f16 ? half : other;
    } else {
      if (element == dtype::boolean) return bits != 0 ? 1 : 0;
      if (is_unsigned(element)) return static_cast<T>(bits);
      const int above = 64 - 8 * static_cast<int>(item_bytes(element));
      return static_cast<T>(bits << above) >> above;
    }
  }
};

/// The elements of part `part` of a batch that are a lane's, a few at a time: turns of `group` elements are dealt to
/// the parts. `add(x, y, index)` takes them while the next ones are on their way. The elements of a batch in one run
/// are equally far apart, and so are those of a lane: they need one addition each.
template <bool TwoArrays, storage_type T, class Add>
__device__ void read_share(const grouped_batches<T>& args, std::int64_t batch, std::int64_t part, int lane,
                           const Add& add) {
  constexpr int together = 4;
  using bits_type = typename grouped_batches<T>::bits_type;
  const extent& e = args.shape;
  const std::int64_t offset = args.offset_of(batch), length = args.length_of(batch), step = e.parts * args.group;
  const bool one_run = args.runs.reduced_count == 1;
  const int bytes = args.bytes_of_element();
  const std::int64_t stride = args.runs.reduced_stride[0] * bytes;
  const std::int64_t apart = step * stride, y_from_x = args.y - args.x;
  bits_type x[together], y[together], next_x[together], next_y[together];
  // How many of the elements first, first + step, ... a turn takes.
  const auto count_from = [&](std::int64_t first) {
    if (first + (together - 1) * step < length) return together;
    int count = 0;
    for (std::int64_t at = first; at < length; at += step) ++count;
    return count;
  };
  // `count` elements, the first of which is at `from` in one run. What is read behind the last one is an element, too,
  // and nothing takes it.
  const auto load = [&](std::int64_t first, int count, const std::byte* from, bits_type(&a)[together],
                        bits_type(&b)[together]) {
    const std::byte* at[together];
    if (one_run) {
#pragma unroll
      for (int k = 0; k < together; ++k) {
        at[k] = from;
        if (k + 1 < count) from += apart;
      }
    } else {
#pragma unroll
      for (int k = 0; k < together; ++k) {
        at[k] = args.x + (offset + args.offset_in_batch(min(first + k * step, length - 1))) * bytes;
      }
    }
#pragma unroll
    for (int k = 0; k < together; ++k) {
      a[k] = args.load(at[k], bytes);
      b[k] = TwoArrays ? args.load(at[k] + y_from_x, bytes) : a[k];
    }
  };
  std::int64_t i = part * args.group + lane;
  if (i >= length) return;
  const std::byte* from = args.x + offset * bytes + i * stride;
  int here = count_from(i);
  load(i, here, from, x, y);
  while (true) {
    i += together * step;
    from += together * apart;
    const int next = count_from(i);
    if (next > 0) load(i, next, from, next_x, next_y);
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (k >= here) break;
      const T a = args.value_of(x[k]);
      add(a, TwoArrays ? args.value_of(y[k]) : a, e.first_index + i + (k - together) * step);
    }
    if (next == 0) return;
#pragma unroll
    for (int k = 0; k < together; ++k) x[k] = next_x[k], y[k] = next_y[k];
    here = next;
  }
}

/// Calls take(batch, part, wanted) with the groups of a warp, as long as one of them has anything to do. A turn is as
/// many batches as a warp has groups, all in one word of `only`; a warp looks at 32 turns at a time.
template <storage_type T, class Take>
__device__ void for_each_share(const grouped_batches<T>& args, const Take& take) {
  const extent& e = args.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32, groups = 32 / args.group;
  const std::int64_t batches = args.batch_count();
  const std::int64_t turns_a_part = (batches + groups - 1) / groups, turns = turns_a_part * e.parts;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32);
  const unsigned whole = groups == 32 ? 0xffffffffu : (1u << groups) - 1;
  for (std::int64_t first = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; first < turns; first += 32 * warps) {
    const std::int64_t mine = first + lane * warps;
    unsigned wanted = 0;
    if (mine < turns) {
      const std::int64_t batch = mine % turns_a_part * groups;
      wanted = args.wants(batch) & whole;
      if (batches - batch < groups) wanted &= (1u << (batches - batch)) - 1;
    }
    unsigned ready = __ballot_sync(kernels::whole_warp, wanted != 0);
#pragma unroll 1
    for (; ready != 0; ready &= ready - 1) {
      const int turn = __ffs(static_cast<int>(ready)) - 1;
      const unsigned of_turn = __shfl_sync(kernels::whole_warp, wanted, turn);
      const std::int64_t number = first + turn * warps;
      const int group = lane / args.group;
      const std::int64_t batch = number % turns_a_part * groups + group, part = number / turns_a_part;
      const bool is_wanted = (of_turn >> group & 1u) != 0;
      take(batch, part, is_wanted && !args.puts_off(batch, part, lane % args.group));
    }
  }
}

/// Whether a warp that has its part of a batch in memory is the last of `parts`, which then sees the others. The whole
/// warp calls.
__device__ inline bool last_warp_to_arrive(unsigned* arrivals, std::int64_t parts) {
  __threadfence();
  __syncwarp();
  unsigned before = 0;
  if (threadIdx.x % 32 == 0) before = atomicAdd(arrivals, 1u);
  if (__shfl_sync(kernels::whole_warp, before, 0) + 1 != static_cast<unsigned>(parts)) return false;
  __threadfence();
  return true;
}

}  // namespace multifold::inline v0_1::cuda::exact
