// Windows of groups' sums in shared memory, and how elements are added to them.
//
// A window is an integer of 64 bits that counts quanta of 2^q. Elements that are multiples of the quantum, and below
// 2^(q + 42), are added to the two halves of their group's window by atomics; the low half returns what it was, and so
// the carry. What does not fit, rare in data whose greatest magnitudes a sample has seen, is added to the group's words
// in device memory (exact/words.cuh), and so are windows in the end. Every addition is exact, so neither the sample nor
// the order of additions shows in the result.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/exact/words.cuh"
#include "device/keys/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::inline v0_1::cuda::keys {

using words = exact::words<float>;

inline constexpr int sum_threads = 512, elements_a_thread = 8, tile_elements = sum_threads * elements_a_thread;
// An element has up to 24 + most_shift bits, so that a block adds up 2^20 of them and the sum stays below 2^62.
inline constexpr int most_shift = 18, tiles_a_window = (1 << 20) / tile_elements;
inline constexpr int least_quantum = 1, most_quantum = 254 - 1 - most_shift;

// Words of a group: those of exact sums, and how many elements there are, or, of sums, whether there are any.
inline constexpr int group_words = words::count + 1, counted = words::count;

template <floating_storage T>
__device__ float as_float(T x) {
  if constexpr (std::is_same_v<T, float>) return x;
  else return to_float(x);
}

// One element in quanta, if it fits.
__device__ inline bool in_quanta(std::uint32_t bits, int quantum, std::int64_t& value) {
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

struct sum_arguments {
  std::int64_t elements, groups;
  int window_groups, copies;  // of each group, a power of two
  int word_copies;            // of each group in device memory: blocks take turns
  bool counts;                // whether elements are counted
  bool omit;                  // NaN
  const int* quantum;
  std::int64_t* words;  // group_words a copy, cleared
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
inline constexpr int slot_bytes = 3 * 4 + 2;
inline constexpr std::uint32_t negative_zero = 0x80000000u;

__device__ inline windows windows_of_block(const sum_arguments& args) {
  extern __shared__ std::uint32_t memory[];
  return {memory, args.window_groups * args.copies};
}

inline int shared_bytes(const sum_arguments& args) {
  return ((args.window_groups * args.copies + 1) * slot_bytes + 3) / 4 * 4;
}

__device__ inline bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

// Out of line, and seldom: a key that is no group. Behind the last element there are such.
__device__ __noinline__ inline void note_bad(const sum_arguments& args, std::int64_t position) {
  if (position >= args.elements) return;
  const auto from_here = static_cast<unsigned long long>(args.elements - position);
  if (*static_cast<volatile unsigned long long*>(&args.report->bad) < from_here)
    atomicMax(&args.report->bad, from_here);
}

// Those of a group that the block adds to.
__device__ inline std::int64_t* words_of(const sum_arguments& args, std::int64_t group) {
  return args.words + (group * args.word_copies + blockIdx.x % args.word_copies) * group_words;
}

// Quanta of 2^q are these many places up in words, from q.
inline constexpr int first_place =
    multifold::detail::float_layout<float>::least_exponent - exact_traits<float>::unit_exponent;

// An element of some group that takes no short way: zeros, and what does not fit the window as it is.
__device__ __noinline__ inline void add_apart(const sum_arguments& args, int slot, std::int64_t group,
                                              std::uint32_t bits) {
  const windows w = windows_of_block(args);
  const int quantum = *args.quantum;
  if (args.omit && is_nan(bits)) return;
  if (args.counts) atomicAdd(w.count + slot, 1u);
  std::int64_t value = 0;
  if (bits != negative_zero && in_quanta(bits, quantum, value)) return w.add(slot, value);
  w.present[slot] = 1;
  if (bits == negative_zero) return;
  const multifold::detail::unpacked parts = multifold::detail::unpack(__uint_as_float(bits));
  std::int64_t* const to = words_of(args, group);
  if (!parts.finite()) return exact::add_word(to + exact::mark_of<float>(parts), 1);
  w.touched[slot] = 1;
  const auto significand = static_cast<std::int64_t>(parts.significand);
  exact::add_quanta(to, parts.negative ? -significand : significand, parts.position + first_place);
}

// The sum of a warp's values, each below 2^46.
__device__ inline std::int64_t sum_of_warp(std::int64_t value) {
  const unsigned low = __reduce_add_sync(kernels::whole_warp, static_cast<unsigned>(value) & 0xfffffu);
  return low +
         static_cast<std::int64_t>(__reduce_add_sync(kernels::whole_warp, static_cast<int>(value >> 20))) * (1 << 20);
}

// What a thread has of a tile: warps take runs of neighbours, whose lanes are neighbours again. Keys that are no groups
// may be any that are too great, as they are behind the last element.
template <floating_storage T, class Key>
struct thread_elements {
  std::uint32_t key[elements_a_thread];
  T x[elements_a_thread];

  __device__ static int place(int k) {
    const int thread = static_cast<int>(threadIdx.x);
    return (thread / 32 * elements_a_thread + k) * 32 + thread % 32;
  }
  __device__ static std::uint32_t narrow(Key key) {
    if constexpr (sizeof(Key) == 8) {
      if (static_cast<std::uint64_t>(key) >> 32 != 0) return 0xffffffffu;
    }
    return static_cast<std::uint32_t>(key);
  }
  __device__ void load(const T* data, const Key* keys, std::int64_t low, std::int64_t elements) {
    data += low + place(0);
    keys += low + place(0);
    const int there = low + tile_elements <= elements ? tile_elements : static_cast<int>(elements - low);
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) {
      key[k] = 0xffffffffu;
      x[k] = T{};
      if (there < tile_elements && place(k) >= there) continue;
      key[k] = narrow(keys[32 * k]);
      x[k] = data[32 * k];
    }
  }
  __device__ std::uint32_t bits(int k) const { return __float_as_uint(as_float(x[k])); }
};

// Those of one tile that are of the groups from `first` on, `limit` of them. The whole warp calls.
template <floating_storage T, class Key>
struct tile_sums {
  const sum_arguments& args;
  const windows w;
  const thread_elements<T, Key>& mine;
  std::uint32_t first, limit;
  int quantum, copy;

  __device__ static std::uint32_t limit_of(const sum_arguments& args, std::uint32_t first) {
    return static_cast<std::uint32_t>(min(std::int64_t{args.window_groups}, args.groups - first));
  }
  __device__ bool takes(int k) const { return mine.key[k] - first < limit; }
  __device__ bool takes_all() const {
    bool all = true;
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) all = all && takes(k);
    return all;
  }
  __device__ int slot(int k) const { return static_cast<int>(mine.key[k] - first) * args.copies + copy; }

  // All of a warp's elements, if they are of one group and fit.
  __device__ bool add_run() const {
    bool same = takes(0);
    const std::uint32_t leader = __shfl_sync(kernels::whole_warp, mine.key[0], 0);
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
    const std::uint32_t leader = __shfl_sync(kernels::whole_warp, mine.key[k], 0);
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
      // The quantum is one of least_quantum to most_quantum: subnormal numbers, and what is not finite, take the long way.
      const std::uint32_t bits = mine.bits(k + j);
      const unsigned shift = (bits >> 23 & 0xff) - 1 - static_cast<unsigned>(quantum);
      const bool mine_too = takes(k + j), quick = mine_too && (shift <= most_shift || bits == 0);
      const std::uint32_t significand = bits == 0 ? 0 : (bits & 0x7fffff) | 0x800000u;
      const auto sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits) >> 31));
      const std::uint64_t magnitude = std::uint64_t{__funnelshift_l(significand, 0, shift)} << 32 | significand
                                                                                                        << (shift & 31);
      const std::uint64_t value = (magnitude ^ sign) - sign;
      added[j] = static_cast<std::uint32_t>(value);
      more[j] = static_cast<std::uint32_t>(value >> 32);
      to[j] = quick ? slot(k + j) : w.slots;
      if (mine_too && !quick) add_apart(args, slot(k + j), mine.key[k + j], bits);
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
    const std::uint32_t leader = __shfl_sync(kernels::whole_warp, mine.key[0], 0);
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

}  // namespace multifold::inline v0_1::cuda::keys
