// Moments of long rows of floating-point numbers: a block a part, sixteen bytes a load, the next loads in flight. Rows
// that keep to no range are left to moment_groups.
#pragma once

#include <climits>

#include "device/exact/rows/row_tiles.cuh"
#include "device/moments/arguments.cuh"
#include "device/moments/windows.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::moments {

using kernels::load_vector;
using kernels::vector_word;

inline constexpr int row_threads = 256;
/// Of a thread, for elements that go one by one, before its row is read again by other means: some at first, and then
/// one in eight. What is left of a tile counts as nothing then, so rows that keep to no range cost one or two tiles.
inline constexpr int first_patience = 56, slow_share = 8;
/// Loads of a thread that a tile consists of.
inline constexpr int loads_a_tile = 32;
inline constexpr int vector_bytes = sizeof(vector_word);

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
  std::uintptr_t end;       // of x.vectors
  std::int64_t to_partner;  // in bytes
  bool y_aligned;

  __device__ row_pair(const S* first, const S* second, std::int64_t length)
      : x(first, length),
        end(reinterpret_cast<std::uintptr_t>(x.vectors + x.count)),
        to_partner(reinterpret_cast<const char*>(second) - reinterpret_cast<const char*>(first)),
        y_aligned(reinterpret_cast<std::uintptr_t>(second + x.head) % 16 == 0) {}

  /// Of the second array, what is beside `at` in the first one.
  __device__ const S* partner(std::uintptr_t at) const { return reinterpret_cast<const S*>(at + to_partner); }
};

template <floating_storage S>
inline constexpr int significant_bits = multifold::detail::float_layout<S>::mantissa_bits + 1;

// Sums of elements alone, and of squares of f32, are as fast without.
template <floating_storage S, moment_set Set>
using row_state = std::conditional_t<Set == moment_set::absolute || (Set == moment_set::squares && sizeof(S) == 4),
                                     step_state<carrier_of<S>, Set, closed_windows, significant_bits<S>>,
                                     step_state<carrier_of<S>, Set, open_windows, significant_bits<S>>>;

/// Tiles that windows stay open for.
template <floating_storage S, moment_set Set>
inline constexpr int open_tiles = open_windows<carrier_of<S>, Set, significant_bits<S>>::most_elements /
                                  row_shape<S, Set>::elements / row_shape<S, Set>::steps;

/// What a thread has loaded for a step.
template <floating_storage S, moment_set Set>
struct step_data {
  using shape = row_shape<S, Set>;
  vector_word x[shape::vectors], y[shape::arrays == 2 ? shape::vectors : 1];

  /// Vectors number 0, blockDim.x, ... from `first` on. `whole`: all of them are in the row. Those that are not are of
  /// zeros that change no sum: a product of two arrays is -0.
  __device__ void load(const row_pair<S>& row, std::uintptr_t first, bool whole) {
    const int stride = vector_bytes * static_cast<int>(blockDim.x);
    if (shape::arrays == 1 && whole) {
#pragma unroll
      for (int k = 0; k < shape::vectors; ++k) x[k] = load_at(first + k * stride);
      return;
    }
#pragma unroll
    for (int k = 0; k < shape::vectors; ++k) {
      const std::uintptr_t v = first + k * stride, at = whole || v < row.end ? v : row.end - vector_bytes;
      x[k] = load_at(at);
      if constexpr (shape::arrays == 2) y[k] = load_elements(row.partner(at), row.y_aligned);
    }
    if (whole) return;
#pragma unroll
    for (int k = 0; k < shape::vectors; ++k) {
      if (first + k * stride < row.end) continue;
      x[k] = all_of(float_bits<S>::sign);
      if constexpr (shape::arrays == 2) y[k] = all_of(Set == moment_set::joint ? float_bits<S>::sign : 0);
    }
  }

  /// `here` elements of a thread are in the row, the first of them at `first`.
  template <class T, class State>
  __device__ void add_to(gather<T, Set>& into, State& state, const S* row, std::uintptr_t first,
                         std::int64_t first_index, int here) const {
    constexpr int elements = shape::elements, at_once = shape::at_once;
#pragma unroll
    for (int begin = 0; begin < elements; begin += at_once) {
      T a[at_once], b[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        a[i] = element<T>(x, begin + i);
        b[i] = element<T>(shape::arrays == 2 ? y : x, begin + i);
      }
      const auto index = [=](int i) {
        const int vector = (begin + i) / shape::width * static_cast<int>(blockDim.x);
        const S* const at = reinterpret_cast<const S*>(first + vector * vector_bytes) + (begin + i) % shape::width;
        return first_index + (at - row);
      };
      add_step(into, state, ranges_of(begin, a, b), a, b, index, here - begin);
    }
  }

 private:
  __device__ static vector_word load_at(std::uintptr_t at) { return load_vector(reinterpret_cast<const void*>(at)); }
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
    if constexpr (std::is_same_v<S, bf16>) {
      const unsigned pair = pair_of(from, i / 2);
      return i % 2 == 0 ? lower_of_pair(pair) : upper_of_pair(pair);
    } else {
      return carried(bit_copy<kernels::elements_of<S>>(from[i / shape::width]).values[i % shape::width]);
    }
  }
  __device__ static unsigned pair_of(const vector_word* from, int i) { return from[i / 4].words[i % 4]; }
  template <class T, int N>
  __device__ step_ranges<T, Set> ranges_of(int begin, const T (&a)[N], const T (&b)[N]) const {
    if constexpr (std::is_same_v<S, bf16>) {
      unsigned of_a[N / 2], of_b[N / 2];
#pragma unroll
      for (int i = 0; i < N / 2; ++i) {
        of_a[i] = pair_of(x, begin / 2 + i);
        of_b[i] = pair_of(shape::arrays == 2 ? y : x, begin / 2 + i);
      }
      return {range_of<Set>(of_a), range_of<Set>(of_b)};
    } else {
      return {range_of<Set>(a), range_of<Set>(b)};
    }
  }
};

/// Part `part` of a row: every parts-th tile; the last part takes what is not in tiles, too. False, in all threads of
/// the block, where one of them gave up.
template <floating_storage S, moment_set Set, class T>
__device__ bool read_part(const row_pair<S>& row, std::int64_t part, const extent& e, gather<T, Set>& into) {
  using shape = row_shape<S, Set>;
  // In bytes, all but `tiles`.
  const int stride = vector_bytes * static_cast<int>(blockDim.x), first = vector_bytes * static_cast<int>(threadIdx.x);
  const int step = shape::vectors * stride, tile = shape::steps * step;
  const std::int64_t size = row.x.count * vector_bytes, tiles = size / tile, jump = (e.parts - 1) * tile;
  const int rest = static_cast<int>(size - tiles * tile);
  const bool last_part = part == e.parts - 1;
  const int behind = last_part ? (rest + step - 1) / step : 0;  // steps, the last one not whole
  const auto of_part = static_cast<int>(part < tiles ? (tiles - part + e.parts - 1) / e.parts : 0);
  std::uintptr_t at = row.end - rest + first - (of_part > 0 ? (tiles - part) * tile : 0);
  step_data<S, Set> loaded, next;
  row_state<S, Set> state;
  int left = of_part * shape::steps + behind;
  if (left > 0) loaded.load(row, at, left > 1 || behind == 0);
#pragma unroll 1
  for (; left > 0; --left) {
    const int in_tiles = left - behind - 1;  // steps of tiles that are to come; below 0 behind them
    std::uintptr_t following = at + step;
    if (in_tiles % shape::steps == 0) following = in_tiles > 0 ? following + jump : row.end - rest + first;
    int here = shape::elements;
    if (left > 1) {
      next.load(row, following, left > 2 || behind == 0);
    } else {
      here = 0;
#pragma unroll
      for (int k = 0; k < shape::vectors; ++k) here += at + k * stride < row.end ? shape::width : 0;
    }
    loaded.add_to(into, state, row.x.row, at, e.first_index, here);
    loaded = next;
    at = following;
    if (in_tiles % shape::steps != 0) continue;
    if (in_tiles % (shape::steps * open_tiles<S, Set>) == 0) state.windows.flush(into);
    // Warps that drift apart read the memory in a worse order.
    if (__syncthreads_or(into.gave_up())) return false;
    constexpr int more = shape::steps * shape::elements / slow_share;
    into.patience = min(into.patience, INT_MAX - more) + more;
  }
  state.windows.flush(into);
  if (!last_part) return !__syncthreads_or(into.gave_up());
  const auto ends = static_cast<int>(row.x.ends()), head = static_cast<int>(row.x.head);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < ends; i += static_cast<int>(blockDim.x)) {
    const S* const one = i < head ? row.x.row + i : reinterpret_cast<const S*>(row.end) + (i - head);
    const T a = carried(*one);
    const T b = shape::arrays == 2 ? carried(*row.partner(reinterpret_cast<std::uintptr_t>(one))) : a;
    into.add(a, b, e.first_index + (one - row.x.row));
  }
  return !__syncthreads_or(into.gave_up());
}

/// Whether a part of the batch gave up before.
__device__ inline bool is_lost(const unsigned* lost, std::int64_t batch) {
  return lost != nullptr && (__ldcg(lost + batch / 32) >> (batch % 32) & 1u) != 0;
}

/// Blocks on an SM: as many as registers allow.
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
    const bool in_vain = __syncthreads_or(e.parts > 1 && thread == 0 && is_lost(lost, batch));
    gather<T, Set> mine(s.words, &of_thread[Set == moment_set::description ? thread : 0], to.nan,
                        lost == nullptr ? INT_MAX : first_patience);
    const bool whole =
        !in_vain && read_part(row_pair<S>(x + batch * row_stride, y + batch * row_stride, e.length), part, e, mine);
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
      if (complete && lost != nullptr) complete = !is_lost(lost, batch);
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
