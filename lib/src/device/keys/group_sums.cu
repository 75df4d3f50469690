// Exact sums of groups in one read, whatever the order of keys: each block keeps a window of every group's sum in
// shared memory, up to 4096 of them. Where there are more groups, keys are sorted by what is above 12 bits first.
//
// A window is an integer of 64 bits that counts quanta of 2^q. Elements that are multiples of the quantum, and below
// 2^(q + element_bits), are added to the two halves of their group's window by atomics; the low half returns what it
// was, and so the carry. What does not fit, rare in data whose greatest magnitudes a sample has seen, is added to the
// group's words in device memory (exact/words.cuh), and so are windows in the end. Every addition is exact, so neither
// the sample nor the order of additions shows in the result.
#include <algorithm>

#include "device/exact/words.cuh"
#include "device/keys/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/finish_scalar.hpp"
#include "multifold/scalar.hpp"

namespace multifold::cuda::keys {
namespace {

using words = exact::words<float>;

constexpr int sum_threads = 512, elements_a_thread = 8, tile_elements = sum_threads * elements_a_thread;
// An element has up to 24 + most_shift bits, so that a block adds up 2^20 of them and the sum stays below 2^62.
constexpr int most_shift = 18, tiles_a_window = (1 << 20) / tile_elements;
constexpr int sum_blocks_of_sm = 2;
constexpr int finish_threads = 128, sample_threads = 1024, samples_a_thread = 32;

// Words of a group: those of exact sums, and how many elements there are that words know nothing of.
constexpr int group_words = words::count + 1, counted = words::count;

template <floating_storage T>
__device__ float as_float(T x) {
  if constexpr (std::is_same_v<T, float>) return x;
  else return to_float(x);
}

// Where the quantum lies, in places of the least float: below the greatest element of a sample.
template <floating_storage T>
__global__ void __launch_bounds__(sample_threads) choose_quantum(const T* data, std::int64_t count, int* quantum) {
  __shared__ int greatest;
  if (threadIdx.x == 0) greatest = 0;
  __syncthreads();
  int mine = 0;
  const std::int64_t step = max(count / (sample_threads * samples_a_thread), std::int64_t{1});
  for (int k = 0; k < samples_a_thread; ++k) {
    const std::int64_t i = (std::int64_t{k} * sample_threads + threadIdx.x) * step;
    if (i >= count) break;
    const int field = __float_as_uint(as_float(data[i])) >> 23 & 0xff;
    if (field < 0xff) mine = max(mine, field);
  }
  mine = __reduce_max_sync(kernels::whole_warp, mine);
  if (threadIdx.x % 32 == 0) atomicMax(&greatest, mine);
  __syncthreads();
  if (threadIdx.x == 0) *quantum = max(greatest - 1 - most_shift, 0);
}

// One element in quanta, if it fits.
__device__ bool in_quanta(std::uint32_t bits, int quantum, std::int64_t& value) {
  const int field = static_cast<int>(bits >> 23 & 0xff), shift = max(field, 1) - 1 - quantum;
  const std::uint32_t significand = (bits & 0x7fffff) | (field != 0 ? 0x800000u : 0);
  std::uint64_t magnitude = 0;
  bool fits = shift <= most_shift;
  if (shift >= 0) {
    magnitude = static_cast<std::uint64_t>(significand) << (shift & 31);
  } else {
    const int down = min(-shift, 31);
    magnitude = significand >> down;
    fits = magnitude << down == significand;
  }
  const auto sign = -static_cast<std::int64_t>(bits >> 31);
  value = (static_cast<std::int64_t>(magnitude) ^ sign) - sign;
  return fits && field != 0xff;
}

template <class Key>
__device__ bool is_group(Key key, std::int64_t groups) {
  return key >= 0 && key < groups;
}

struct sum_arguments {
  std::int64_t elements, groups;
  int window_groups, copies;  // of each group, a power of two
  bool counts;                // whether elements are counted
  bool omit;                  // NaN
  const int* quantum;
  std::int64_t* words;  // group_words a group, cleared
  key_report* report;
};

// Windows of a block, one behind the other: low halves, high halves, counts where they are asked for, and then a byte
// each that says whether there was anything but -0, and whether there was anything. Groups have `copies` of all, for
// lanes that have the same one; behind them is a window of none.
struct windows {
  std::uint32_t *low, *high, *count;
  unsigned char *touched, *present;
  int slots;

  __device__ windows(std::uint32_t* memory, int groups_and_copies)
      : low(memory),
        high(low + groups_and_copies + 1),
        count(high + groups_and_copies + 1),
        touched(reinterpret_cast<unsigned char*>(count + groups_and_copies + 1)),
        present(touched + groups_and_copies + 1),
        slots(groups_and_copies) {}

  // What adding to the low half leaves for the high one. `old`: what the low half was, 0 before anything is added.
  __device__ void carry(int slot, std::uint32_t old, std::uint32_t added, std::uint32_t more) const {
    if (old == 0) touched[slot] = 1;
    const std::uint32_t carried = more + (old + added < added ? 1u : 0u);
    if (carried != 0) atomicAdd(high + slot, carried);
  }
  __device__ void add(int slot, std::int64_t value) const {
    const auto added = static_cast<std::uint32_t>(value);
    carry(slot, atomicAdd(low + slot, added), added, static_cast<std::uint32_t>(value >> 32));
  }
};
constexpr int slot_bytes = 3 * 4 + 2;
constexpr std::uint32_t negative_zero = 0x80000000u;

__device__ windows windows_of_block(const sum_arguments& args) {
  extern __shared__ std::uint32_t memory[];
  return {memory, args.window_groups * args.copies};
}

int shared_bytes(const sum_arguments& args) {
  return ((args.window_groups * args.copies + 1) * slot_bytes + 3) / 4 * 4;
}

__device__ bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

// Out of line, and seldom: a key that is no group. Behind the last element there are such.
__device__ __noinline__ void note_bad(const sum_arguments& args, std::int64_t position) {
  if (position >= args.elements) return;
  const auto from_here = static_cast<unsigned long long>(args.elements - position);
  if (*static_cast<volatile unsigned long long*>(&args.report->bad) < from_here)
    atomicMax(&args.report->bad, from_here);
}

// An element of some group that takes no short way: zeros, and what does not fit the window as it is.
__device__ __noinline__ void add_apart(const sum_arguments& args, int slot, std::int64_t group, std::uint32_t bits) {
  const windows w = windows_of_block(args);
  const int quantum = *args.quantum;
  if (args.omit && is_nan(bits)) return;
  if (args.counts) atomicAdd(w.count + slot, 1u);
  std::int64_t value = 0;
  if (bits != negative_zero && in_quanta(bits, quantum, value)) return w.add(slot, value);
  w.present[slot] = 1;
  if (bits != negative_zero) exact::add_element(args.words + group * group_words, __uint_as_float(bits));
}

// The sum of a warp's values, each below 2^46.
__device__ std::int64_t sum_of_warp(std::int64_t value) {
  const unsigned low = __reduce_add_sync(kernels::whole_warp, static_cast<unsigned>(value) & 0xfffffu);
  return low +
         static_cast<std::int64_t>(__reduce_add_sync(kernels::whole_warp, static_cast<int>(value >> 20))) * (1 << 20);
}

// What a thread has of a tile: a warp takes neighbours, and its lanes again.
template <floating_storage T, class Key>
struct thread_elements {
  Key key[elements_a_thread];
  T x[elements_a_thread];

  __device__ static int place(int k) {
    const int thread = static_cast<int>(threadIdx.x);
    return (thread / 32 * elements_a_thread + k) * 32 + thread % 32;
  }
  // Behind the last element there are keys of no group.
  __device__ void load(const T* data, const Key* keys, std::int64_t low, std::int64_t elements) {
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) {
      const std::int64_t i = low + place(k);
      const bool there = i < elements;
      key[k] = there ? keys[i] : Key{-1};
      x[k] = there ? data[i] : T{};
    }
  }
  __device__ std::uint32_t bits(int k) const { return __float_as_uint(as_float(x[k])); }
};

// Those of one tile that are of the groups from `first` on, window_groups of them. The whole warp calls.
template <floating_storage T, class Key>
struct tile_sums {
  const sum_arguments& args;
  const windows w;
  const thread_elements<T, Key>& mine;
  std::int64_t first, low;
  int quantum, copy;

  __device__ std::uint64_t group_in_window(int k) const { return static_cast<std::uint64_t>(mine.key[k] - first); }
  __device__ bool takes(int k) const {
    return is_group(mine.key[k], args.groups) && group_in_window(k) < static_cast<unsigned>(args.window_groups);
  }
  __device__ int slot(int k) const { return static_cast<int>(group_in_window(k)) * args.copies + copy; }

  // All of a warp's elements, if they are of one group and fit.
  __device__ bool add_run() const {
    bool same = takes(0);
    const Key leader = __shfl_sync(kernels::whole_warp, mine.key[0], 0);
    std::int64_t sum = 0;
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) {
      std::int64_t value = 0;
      same = same && mine.key[k] == leader && mine.bits(k) != negative_zero && in_quanta(mine.bits(k), quantum, value);
      sum += value;
    }
    if (!__all_sync(kernels::whole_warp, same)) return false;
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) {
      w.add(slot(0), sum);
      if (args.counts) atomicAdd(w.count + slot(0), 32u * elements_a_thread);
    }
    return true;
  }

  // An element of each lane, if they are of one group and fit.
  __device__ bool add_step(int k) const {
    const Key leader = __shfl_sync(kernels::whole_warp, mine.key[k], 0);
    std::int64_t value = 0;
    const bool same =
        takes(k) && mine.key[k] == leader && mine.bits(k) != negative_zero && in_quanta(mine.bits(k), quantum, value);
    if (!__all_sync(kernels::whole_warp, same)) return false;
    value = sum_of_warp(value);
    if (threadIdx.x % 32 == 0) {
      w.add(slot(k), value);
      if (args.counts) atomicAdd(w.count + slot(k), 32u);
    }
    return true;
  }

  // Some at a time, so that atomics are on their way together.
  template <int Count>
  __device__ void add(int k) const {
    int to[Count];
    std::uint32_t added[Count], more[Count], old[Count];
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      const std::uint32_t bits = mine.bits(k + j), field = bits >> 23 & 0xff;
      const std::uint32_t significand = (bits & 0x7fffff) | (field != 0 ? 0x800000u : 0);
      const unsigned shift = max(field, 1u) - 1 - static_cast<unsigned>(quantum);
      const bool mine_too = takes(k + j), quick = mine_too && shift <= most_shift && field != 0xff && bits << 1 != 0;
      added[j] = quick ? significand << (shift & 31) : 0;
      more[j] = quick ? __funnelshift_l(significand, 0, shift) : 0;
      if ((bits & negative_zero) != 0) {
        more[j] = ~more[j] + (added[j] == 0 ? 1u : 0u);
        added[j] = 0 - added[j];
      }
      to[j] = quick ? slot(k + j) : w.slots;
      if (mine_too && !quick) add_apart(args, slot(k + j), static_cast<std::int64_t>(mine.key[k + j]), bits);
    }
#pragma unroll
    for (int j = 0; j < Count; ++j) old[j] = atomicAdd(w.low + to[j], added[j]);
#pragma unroll
    for (int j = 0; j < Count; ++j) w.carry(to[j], old[j], added[j], more[j]);
    if (!args.counts) return;
#pragma unroll
    for (int j = 0; j < Count; ++j) atomicAdd(w.count + to[j], 1u);
  }

  __device__ void add_all() const {
    constexpr int together = 4;
    const Key leader = __shfl_sync(kernels::whole_warp, mine.key[0], 0);
    if (__all_sync(kernels::whole_warp, mine.key[0] == leader)) {
      if (add_run()) return;
#pragma unroll
      for (int k = 0; k < elements_a_thread; ++k) {
        if (!add_step(k)) add<1>(k);
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < elements_a_thread; k += together) add<together>(k);
  }
};

// Tiles are a grid apart where windows have all groups. Else keys come in the order of what is above the groups of a
// window, a part: then a block takes tiles that follow each other, and hands windows over between parts.
template <floating_storage T, class Key, bool Parts>
__global__ void __launch_bounds__(sum_threads, sum_blocks_of_sm)
    add_to_windows(const T* data, const Key* keys, const __grid_constant__ sum_arguments args) {
  __shared__ unsigned least;
  constexpr unsigned none = 0xffffffffu;
  const int slots = args.window_groups * args.copies, thread = static_cast<int>(threadIdx.x);
  const windows w = windows_of_block(args);
  const int quantum = *args.quantum;
  const std::int64_t tiles = (args.elements + tile_elements - 1) / tile_elements;
  const std::int64_t share = Parts ? (tiles + gridDim.x - 1) / gridDim.x : 1, step = Parts ? 1 : gridDim.x;
  const std::int64_t begin = blockIdx.x * share, end = Parts ? min(begin + share, tiles) : tiles;
  unsigned part = 0;
  const auto clear = [&] {
    for (int i = thread; i < ((slots + 1) * slot_bytes + 3) / 4; i += sum_threads) w.low[i] = 0;
    __syncthreads();
  };
  const auto hand_over = [&] {
    __syncthreads();
    constexpr int place = multifold::detail::float_layout<float>::least_exponent - exact_traits<float>::unit_exponent;
    for (int slot = thread; slot < slots; slot += sum_threads) {
      if ((w.touched[slot] | w.present[slot]) == 0) continue;
      const std::int64_t group = std::int64_t{part} * args.window_groups + slot / args.copies;
      std::int64_t* const to = args.words + group * group_words;
      const auto value = static_cast<std::int64_t>(std::uint64_t{w.high[slot]} << 32 | w.low[slot]);
      exact::add_quanta(to, value, quantum + place);
      exact::add_word(to + words::not_negative_zero, w.touched[slot]);
      exact::add_word(to + counted, args.counts ? std::int64_t{w.count[slot]} : 1);
    }
    __syncthreads();
  };
  const auto part_of = [&](Key key) {
    return is_group(key, args.groups) ? static_cast<unsigned>(key) / most_groups_of_windows : none;
  };
  clear();
  int tiles_of_window = 0;
  for (std::int64_t t = begin; t < end; t += step) {
    if (tiles_of_window == tiles_a_window) {
      hand_over();
      clear();
      tiles_of_window = 0;
    }
    ++tiles_of_window;
    const std::int64_t low = t * tile_elements;
    thread_elements<T, Key> mine;
    mine.load(data, keys, low, args.elements);
    const auto add = [&] {
      const tile_sums<T, Key> sums{
          args, w, mine, std::int64_t{part} * args.window_groups, low, quantum, thread % args.copies};
      sums.add_all();
    };
    if constexpr (!Parts) {
#pragma unroll
      for (int k = 0; k < elements_a_thread; ++k) {
        if (!is_group(mine.key[k], args.groups)) note_bad(args, low + thread_elements<T, Key>::place(k));
      }
      add();
    } else {
      bool here = true;
#pragma unroll
      for (int k = 0; k < elements_a_thread; ++k) here = here && part_of(mine.key[k]) == part;
      const bool whole = __syncthreads_and(here) != 0;
#pragma unroll 1
      for (unsigned from = 0;; from = part + 1) {  // one part after the other, or the one that it is
        if (!whole) {
          unsigned next = none;
#pragma unroll
          for (int k = 0; k < elements_a_thread; ++k) {
            const unsigned other = part_of(mine.key[k]);
            if (other >= from) next = min(next, other);
          }
          __syncthreads();
          if (thread == 0) least = none;
          __syncthreads();
          if (next != none) atomicMin(&least, next);
          __syncthreads();
          next = least;
          if (next == none) break;
          if (next != part) {
            hand_over();
            clear();
            tiles_of_window = 1;
            part = next;
          }
        }
        add();
        if (whole) break;
      }
    }
  }
  hand_over();
}

__global__ void __launch_bounds__(finish_threads) finish_group_sums(const __grid_constant__ group_sum_call call) {
  const std::int64_t g = std::int64_t{blockIdx.x} * finish_threads + threadIdx.x;
  if (g >= call.list.groups) return;
  std::int64_t* const w = call.words + g * group_words;
  std::int64_t count = w[counted];
  if (count == 0) atomicMax(&call.report->empty, static_cast<unsigned>(call.list.groups - g));
  // Marks are no more than there are elements.
  w[words::not_negative_zero] = w[words::not_negative_zero] != 0;
  if (call.op == op_kind::sum) count += w[words::nan] + w[words::positive_infinity] + w[words::negative_infinity];
  const exact_sum<float> sum = exact::sum_of<float>(w, count, nan_policy::propagate);
  const status s = store(finish_scalar(call.op, sum, call.initial), call.result,
                         static_cast<std::byte*>(call.results) + g * item_bytes(call.result));
  if (s != status::ok) atomicMax(call.status_word, static_cast<std::uint32_t>(s));
}

template <floating_storage T, class Key, bool Parts>
void enqueue(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  const auto* const data = static_cast<const T*>(c.data);
  const std::int64_t tiles = (args.elements + tile_elements - 1) / tile_elements;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, std::int64_t{gpu.units} * sum_blocks_of_sm));
  launch_kernel(queue, choose_quantum<T>, 1, sample_threads, 0, data, args.elements, c.quantum);
  launch_kernel(queue, add_to_windows<T, Key, Parts>, blocks, sum_threads, static_cast<unsigned>(shared_bytes(args)),
                data, static_cast<const Key*>(c.list.keys), args);
}

template <floating_storage T>
void enqueue_keys(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  if (c.list.groups > most_groups_of_windows) enqueue<T, std::int32_t, true>(c, args, gpu, queue);
  else if (c.list.wide) enqueue<T, std::int64_t, false>(c, args, gpu, queue);
  else enqueue<T, std::int32_t, false>(c, args, gpu, queue);
}

}  // namespace

std::int64_t group_sum_bytes(std::int64_t groups) { return groups * group_words * 8; }

void sum_groups(const group_sum_call& c, const engine_traits& gpu, work_queue& queue) {
  int copies = 1;
  while (copies < 32 && 2 * copies * c.list.groups <= most_groups_of_windows) copies *= 2;
  const auto window_groups = static_cast<int>(std::min(c.list.groups, most_groups_of_windows));
  const sum_arguments args{c.list.count, c.list.groups, window_groups, copies,  c.op == op_kind::mean,
                           c.omit_nan,   c.quantum,     c.words,       c.report};
  if (c.type == dtype::f32) enqueue_keys<float>(c, args, gpu, queue);
  else if (c.type == dtype::f16) enqueue_keys<f16>(c, args, gpu, queue);
  else enqueue_keys<bf16>(c, args, gpu, queue);
  launch_kernel(queue, finish_group_sums, static_cast<unsigned>((c.list.groups + finish_threads - 1) / finish_threads),
                finish_threads, 0, c);
}

}  // namespace multifold::cuda::keys
