// What the warps of a group, which share a run of a tile, tell each other: a slot a warp in shared memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// A place in an exchange for what a kind of runs does without.
struct no_value {};

/// Two slots for each warp, which it fills in turn: one that fills the first again has been through the barrier behind
/// the second, and so have all that read the first.
struct group_slots {
  static constexpr int warps = tile_threads / 32;
  static constexpr int bytes = 112;  // no multiple of 128: slots of different warps begin in different banks

  alignas(16) std::byte slot[2][warps][bytes];
  unsigned turn[warps];
};
__device__ inline group_slots& slots_of_groups() {
  __shared__ group_slots slots;
  return slots;
}

/// Lane 0 of every warp must call, and the block synchronise, before any group trades.
__device__ inline void start_group_slots(group_slots& slots = slots_of_groups()) { slots.turn[threadIdx.x / 32] = 0; }

namespace detail {

// Calls f(a place in the slot, value) with one value after the other.
template <class F, class... Values>
__device__ __forceinline__ void each_in_slot(std::byte* slot, const F& f, Values&... values) {
  [[maybe_unused]] int at = 0;
  const auto one = [&]<class Value>(Value& value) {
    if constexpr (!std::is_same_v<Value, no_value>) {
      static_assert(alignof(Value) <= 16 && std::is_trivially_copyable_v<std::remove_all_extents_t<Value>>);
      constexpr int align = alignof(Value) < 8 ? 8 : alignof(Value);
      at = (at + align - 1) / align * align;
      f(*reinterpret_cast<Value*>(slot + at), value);
      at += static_cast<int>(sizeof(Value));
    }
  };
  (one(values), ...);
}
template <class Value>
inline constexpr int slot_bytes_of = std::is_same_v<Value, no_value> ? 0 : (sizeof(Value) + 7) / 8 * 8;

template <class Value>
__device__ __forceinline__ void assign(Value& to, const Value& from) {
  if constexpr (std::is_array_v<Value>) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(std::extent_v<Value>); ++k) to[k] = from[k];
  } else {
    to = from;
  }
}

// Asked for again each time, so that nothing that follows from it takes registers between exchanges.
__device__ inline int thread_again() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
// `group` threads, which are whole warps. Barrier 0 is __syncthreads'.
__device__ inline void synchronise_group(int number, int group) {
  asm volatile("bar.sync %0, %1;" ::"r"(1 + number), "r"(group) : "memory");
}

}  // namespace detail

/// Of values that are the same in all lanes of a warp, a lane gets those of its group's warp number lane % warps. A
/// group is two neighbouring warps or more, a power of two of them, all of which must call.
template <class... Values>
__device__ __forceinline__ void trade_between_warps(group_slots& slots, int group, Values&... values) {
  static_assert((0 + ... + detail::slot_bytes_of<Values>) <= group_slots::bytes);
  const int thread = detail::thread_again(), warp = thread / 32, lane = thread % 32, warps = group / 32;
  const unsigned turn = slots.turn[warp];
  const auto put = [](auto& there, const auto& value) { detail::assign(there, value); };
  const auto get = [](const auto& there, auto& value) { detail::assign(value, there); };
  if (lane == 0) detail::each_in_slot(slots.slot[turn][warp], put, values...);
  __syncwarp();  // all have read the turn
  if (lane == 0) slots.turn[warp] = turn ^ 1u;
  __syncwarp();
  const int first = warp & -warps;
  detail::synchronise_group(first, group);  // barrier 1 + first: of no other group
  detail::each_in_slot(slots.slot[turn][first + (lane & (warps - 1))], get, values...);
}

}  // namespace multifold::inline v0_1::cuda::kernels
