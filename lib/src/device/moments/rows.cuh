// Moments of long rows of floating-point numbers: a block a part, sixteen bytes a load, the next loads in flight. Rows
// that keep to no range are left to moment_groups.
#pragma once

#include <climits>

#include "device/exact/read_tiles.cuh"
#include "device/moments/arguments.cuh"
#include "device/moments/windows.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::moments {

using kernels::load_vector;
using kernels::vector_word;

inline constexpr int row_threads = 256;
/// Of a thread, for elements that go one by one, before its row is read again by other means: some at first, and then
/// one in eight.
inline constexpr int first_patience = 256, slow_share = 8;
/// Loads of a thread that a tile consists of.
inline constexpr int loads_a_tile = 32;

template <floating_storage S, moment_set Set>
struct row_shape {
  static constexpr int arrays = reads_two_arrays(Set) ? 2 : 1;
  // Longer steps make up for fewer blocks where registers hold them: dot products of f32 went from 0.975 to 1.008 of a
  // plain read, but variances from 0.95 to 0.52.
  static constexpr int loads = sizeof(S) == 4 && Set == moment_set::products ? 8 : 4;  // a step
  static constexpr int vectors = loads / arrays;                                       // of each array
  static constexpr int steps = loads_a_tile / loads;
  static constexpr int width = kernels::vector_elements<S>;
  static constexpr int elements = vectors * width;
  static constexpr int most_at_once = sizeof(S) == 8 && !sums_products(Set) ? 4 : 16 / arrays;
  static constexpr int at_once = most_at_once < elements ? most_at_once : elements;  // elements of an add_step
  static constexpr int open_tiles = 128 / (elements / at_once) / steps;              // that windows stay open for
};

/// Sixteen bytes from any address of an element.
template <class S>
__device__ vector_word load_elements(const S* p, bool aligned) {
  if (aligned) return load_vector(p);
  kernels::elements_of<S> v;
#pragma unroll
  for (int i = 0; i < kernels::vector_elements<S>; ++i) v.values[i] = p[i];
  return bit_copy<vector_word>(v);
}

/// A row of one array, or of two: vectors of sixteen bytes from a line boundary of the first one on.
template <floating_storage S>
struct row_pair {
  exact::row_vectors<S> x;
  const S* y;  // the partner of x.vectors[0]
  bool y_aligned;

  __device__ row_pair(const S* first, const S* second, std::int64_t length)
      : x(first, length), y(second + x.head), y_aligned(reinterpret_cast<std::uintptr_t>(y) % 16 == 0) {}
};

template <floating_storage S>
inline constexpr int significant_bits = multifold::detail::float_layout<S>::mantissa_bits + 1;

// Sums of elements alone, and of squares of f32, are as fast without.
template <floating_storage S, moment_set Set>
using row_state = std::conditional_t<Set == moment_set::absolute || (Set == moment_set::squares && sizeof(S) == 4),
                                     step_state<Set, closed_windows, significant_bits<S>>,
                                     step_state<Set, open_windows, significant_bits<S>>>;

/// What a thread has loaded for a step.
template <floating_storage S, moment_set Set>
struct step_data {
  using shape = row_shape<S, Set>;
  vector_word x[shape::vectors], y[shape::arrays == 2 ? shape::vectors : 1];

  /// Vectors number first, first + blockDim.x, ... `whole`: all of them are in the row. Those that are not are of zeros
  /// that change no sum: a product of two arrays is -0.
  __device__ void load(const row_pair<S>& row, std::int64_t first, bool whole) {
    if (shape::arrays == 1 && whole) {
#pragma unroll
      for (int k = 0; k < shape::vectors; ++k) {
        x[k] = load_vector(row.x.vectors + first + k * static_cast<std::int64_t>(blockDim.x));
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < shape::vectors; ++k) {
      const std::int64_t v = first + k * static_cast<std::int64_t>(blockDim.x), last = row.x.count - 1;
      const std::int64_t at = whole || v < last ? v : last;
      x[k] = load_vector(row.x.vectors + at);
      if constexpr (shape::arrays == 2) y[k] = load_elements(row.y + at * shape::width, row.y_aligned);
    }
    if (whole) return;
#pragma unroll
    for (int k = 0; k < shape::vectors; ++k) {
      if (first + k * static_cast<std::int64_t>(blockDim.x) < row.x.count) continue;
      x[k] = all_of(float_bits<S>::sign);
      if constexpr (shape::arrays == 2) y[k] = all_of(Set == moment_set::joint ? float_bits<S>::sign : 0);
    }
  }

  /// `here` elements of a thread are in the row.
  template <class T, class State>
  __device__ void add_to(gather<T, Set>& into, State& state, std::int64_t first_index, int here) const {
    const auto stride = static_cast<std::int64_t>(blockDim.x) * shape::width;
    constexpr int elements = shape::elements, at_once = shape::at_once;
#pragma unroll
    for (int begin = 0; begin < elements; begin += at_once) {
      T a[at_once], b[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        a[i] = element<T>(x, begin + i);
        b[i] = element<T>(shape::arrays == 2 ? y : x, begin + i);
      }
      const auto index = [&](int i) {
        return first_index + (begin + i) / shape::width * stride + (begin + i) % shape::width;
      };
      if constexpr (sizeof(T) == 8) into.add_all(a, b, index, here - begin);
      else add_step(into, state, a, b, index, here - begin);
    }
  }

 private:
  template <class U>
  using float_bits = multifold::detail::float_layout<U>;
  __device__ static vector_word all_of(typename float_bits<S>::bits_type bits) {
    kernels::elements_of<S> v;
#pragma unroll
    for (S& each : v.values) each = bit_copy<S>(bits);
    return bit_copy<vector_word>(v);
  }
  template <class T>
  __device__ static T element(const vector_word* from, int i) {
    return carried(bit_copy<kernels::elements_of<S>>(from[i / shape::width]).values[i % shape::width]);
  }
};

/// Part `part` of a row: every parts-th tile; the last part takes what is not in tiles, too. False, in all threads of
/// the block, where one of them gave up.
template <floating_storage S, moment_set Set, class T>
__device__ bool read_part(const row_pair<S>& row, std::int64_t part, const extent& e, gather<T, Set>& into) {
  using shape = row_shape<S, Set>;
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = shape::vectors * threads, tile = shape::steps * step;
  const std::int64_t tiles = row.x.count / tile, in_tiles = tiles * tile;
  const bool last_part = part == e.parts - 1;
  const int behind = static_cast<int>((row.x.count - in_tiles + step - 1) / step);  // steps, the last one not whole
  auto tiles_left = static_cast<int>(part < tiles ? (tiles - part + e.parts - 1) / e.parts : 0);
  int left = tiles_left * shape::steps + (last_part ? behind : 0);
  std::int64_t at = (tiles_left > 0 ? part * tile : in_tiles) + threadIdx.x;
  step_data<S, Set> loaded, next;
  row_state<S, Set> state;
  int of_tile = 0, open_tiles = 0;
  if (left > 0) loaded.load(row, at, at - threadIdx.x + step <= row.x.count);
#pragma unroll 1
  for (; left > 0; --left) {
    std::int64_t following = at + step;
    if (++of_tile == shape::steps) {
      of_tile = 0;
      following = --tiles_left > 0 ? following + (e.parts - 1) * tile : in_tiles + threadIdx.x;
    }
    int here = shape::elements;
    if (left == 1) {
      const std::int64_t vectors = (row.x.count - at + threads - 1) / threads;
      here = static_cast<int>(max(std::int64_t{0}, min(vectors, std::int64_t{shape::vectors}))) * shape::width;
    } else {
      next.load(row, following, left > 2 || !last_part);
    }
    loaded.add_to(into, state, e.first_index + row.x.head + at * shape::width, here);
    loaded = next;
    at = following;
    if (of_tile != 0) continue;
    if constexpr (sizeof(T) == 4) {
      if (++open_tiles == shape::open_tiles) {
        state.windows.flush(into);
        open_tiles = 0;
      }
    }
    // Warps that drift apart read the memory in a worse order.
    if (__syncthreads_or(into.gave_up())) return false;
    constexpr int more = shape::steps * shape::elements / slow_share;
    into.patience = min(into.patience, INT_MAX - more) + more;
  }
  if constexpr (sizeof(T) == 4) state.windows.flush(into);
  if (!last_part) return !__syncthreads_or(into.gave_up());
  const auto one = [&](std::int64_t i) {
    into.add(carried(row.x.row[i]), carried((row.y - row.x.head)[i]), e.first_index + i);
  };
  for (std::int64_t i = threadIdx.x; i < row.x.head; i += threads) one(i);
  const std::int64_t length = e.length;
  for (std::int64_t i = row.x.tail_first + threadIdx.x; i < length; i += threads) one(i);
  return !__syncthreads_or(into.gave_up());
}

/// Blocks on a multiprocessor: as many as registers allow.
template <floating_storage S, moment_set Set>
inline constexpr int row_blocks = blocks_of_moment_rows(sizeof(S), Set);

template <floating_storage S, moment_set Set>
__global__ void __launch_bounds__(row_threads, (row_blocks<S, Set>))
    moment_rows(const S* x, const S* y, std::int64_t row_stride, const __grid_constant__ extent e,
                const __grid_constant__ output to, const __grid_constant__ meeting<carrier_of<S>> meet,
                unsigned* lost) {
  using T = carrier_of<S>;
  using at = moment_words<T, Set>;
  __shared__ raw_memory<scratch<T, Set>> memory;
  __shared__ raw_memory<description_marks<T>, Set == moment_set::description ? row_threads : 1> of_thread;
  scratch<T, Set>& s = memory[0];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);

  for (std::int64_t number = blockIdx.x; number < e.batches * e.parts; number += gridDim.x) {
    const std::int64_t batch = number / e.parts, part = number % e.parts;
    for (int i = thread; i < at::count; i += threads) s.words[i] = 0;
    __syncthreads();
    gather<T, Set> mine(s.words, &of_thread[Set == moment_set::description ? thread : 0], to.nan,
                        lost == nullptr ? INT_MAX : first_patience);
    const bool whole = read_part(row_pair<S>(x + batch * row_stride, y + batch * row_stride, e.length), part, e, mine);
    if (whole) settle(mine, s.words);
    else if (thread == 0) atomicOr(lost + batch / 32, 1u << (batch % 32));
    if constexpr (Set == moment_set::description) {
      description_marks<T> seen = *mine.extremes;
      merge_extremes(seen, 32);
      __syncwarp();
      if (thread % 32 == 0) *mine.extremes = seen;
      __syncthreads();
      if (thread == 0) {
        for (int w = 32; w < threads; w += 32) seen.merge_extremes(of_thread[w]);
        s.extremes = seen;
      }
    }
    __syncthreads();
    bool complete = whole;
    if (e.parts > 1) {
      std::int64_t* const words = meet.words + batch * at::count;
      if (whole) share_words<T, Set>(s.words, words, thread, threads);
      if (Set == moment_set::description && thread == 0) meet.marks[number] = s.extremes;
      __threadfence();
      complete = kernels::last_to_arrive(meet.arrivals + batch, e.parts);
      if (complete && lost != nullptr) complete = (__ldcg(lost + batch / 32) >> (batch % 32) & 1u) == 0;
      if (complete) {
        for (int i = thread; i < at::count; i += threads) {
          s.words[i] = __ldcg(reinterpret_cast<const long long*>(words) + i);
        }
        if (Set == moment_set::description && thread < 32) {
          const description_marks<T> all = extremes_of_parts(meet.marks + batch * e.parts, e.parts);
          if (thread == 0) s.extremes = all;
        }
      }
      __syncthreads();
    }
    if (complete && thread < 32) deliver(s, to, batch, e.length);
    __syncthreads();
  }
}

}  // namespace multifold::cuda::moments
