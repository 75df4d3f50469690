// Moments of batches of any strides in one look: a lane has a batch, or some elements of one, a load each, and its
// neighbours have what lies beside it. Lanes of a batch meet in the block, and blocks in memory. Batches that are not
// certain of their result then are left to moment_groups. See docs/exact-sums.md, 14.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/moments/arguments.cuh"
#include "device/moments/parts/part_totals.cuh"
#include "device/moments/tiles/output.cuh"
#include "device/runs/warp_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "plan/layouts/lane_walk.hpp"

namespace multifold::cuda::moments {

using kernels::vector_word;
using multifold::detail::lane_walk;

/// What a kernel of lanes is told.
template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
struct lane_arguments {
  const T *x, *y;
  std::int64_t length;  // of a batch
  lane_walk walk;
  kernels::part_terms terms;
  moment_part<Set>* meet;  // of each share of each batch, if there are several
  unsigned* arrivals;      // of each box, zero before the kernel
  Output output;
};

/// Outputs of another kind are of exact sums, which are `absolute` but for signs.
template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
struct part_lanes_of {
  static constexpr bool is_signed = !std::is_same_v<Output, moment_output<carrier_of<T>, Set>>;
  using arguments = lane_arguments<T, Set, Output>;
  using lane_type = kernels::part_lane<T, Set, is_signed>;
  using part_type = moment_part<Set>;
  using slots_type = raw_memory<part_type, part_threads>;
  static constexpr bool two = lane_type::two, describes = lane_type::describes;
  /// Whether most results are certain with little ado, for which no elements that are on their way have to wait.
  static constexpr bool quick = !describes && !lane_type::joint;
  static constexpr int width = lane_type::width, in_flight = lane_type::vectors, step = in_flight * width;
  static constexpr int chunk_steps = multifold::detail::started_sum::chunk / step;

  /// A lane's next elements.
  struct cursor {
    const std::byte* at = nullptr;
    int left = 0;
  };
  /// What a lane has of a part, and the number of its first element in the batch.
  struct piece : cursor {
    std::int64_t first = 0;
  };
  /// Elements as they are loaded: those of 2 bytes become words where they are used, for which they have to be there.
  struct loaded {
    kernels::elements_of<T> x[in_flight], y[two ? in_flight : 1];

    __device__ __forceinline__ static T load(const std::byte* at) {
      key_of<T> bits;
      if constexpr (sizeof(T) == 2) asm volatile("ld.global.u16 %0, [%1];" : "=h"(bits) : "l"(at));
      else if constexpr (sizeof(T) == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(bits) : "l"(at));
      else asm volatile("ld.global.u64 %0, [%1];" : "=l"(bits) : "l"(at));
      return bit_copy<T>(bits);
    }
    // Neutral: -0 of the first array, and 0 of the second one, whose product is -0.
    __device__ __forceinline__ void load(int k, const cursor& c, std::int64_t stride, std::int64_t to_partner) {
      const std::byte* at = c.at + k * width * stride;
      const int left = c.left - k * width;
      const auto some = [&]<bool All>() {
#pragma unroll
        for (int i = 0; i < width; ++i, at += stride) {
          if (All || i < left) {
            x[k].values[i] = load(at);
            if constexpr (two) y[k].values[i] = load(at + to_partner);
          } else {
            x[k].values[i] = bit_copy<T>(multifold::detail::float_layout<T>::sign);
            if constexpr (two) y[k].values[i] = T{};
          }
        }
      };
      if (left >= width) some.template operator()<true>();
      else some.template operator()<false>();
    }
  };

  const arguments& args;
  const lane_walk& walk;
  int items;                // shares of boxes
  int column, phase;        // of those of a block, which this thread has
  int steps;                // that a lane takes for a part
  std::int64_t stride;      // bytes from one of its elements to the next
  std::int64_t to_partner;  // and to that of the second array

  __device__ explicit part_lanes_of(const arguments& args)
      : args(args),
        walk(args.walk),
        items(walk.boxes * walk.shares),
        steps((walk.lane_rows + step - 1) / step),
        stride(walk.walk_stride * walk.walk_phases * static_cast<std::int64_t>(sizeof(T))),
        to_partner(reinterpret_cast<std::intptr_t>(args.y) - reinterpret_cast<std::intptr_t>(args.x)) {
    const int thread = static_cast<int>(threadIdx.x), side = walk.beside ? walk.phases : walk.width;
    const int outer = thread / side, inner = thread - outer * side;
    column = walk.beside ? outer : inner;
    phase = walk.beside ? inner : outer;
  }
  /// What sums of lanes are off by, which two trees of lanes and the shares that a lane merges add to.
  static kernels::part_terms terms_of(const lane_walk& walk) {
    constexpr std::int64_t trees = 24;
    return kernels::part_terms(std::int64_t{walk.lane_rows + step} * walk.share,
                               trees + (walk.shares + walk.phases - 1) / walk.phases);
  }
  /// Shares are numbered with boxes fastest.
  __device__ int share_of(int item) const { return walk.shares == 1 ? 0 : item / walk.boxes; }
  __device__ int end_of(int share) const { return min((share + 1) * walk.share, walk.parts); }
  /// A lane's batch; -1 if there is none.
  __device__ int batch_of(int box) const {
    const std::int64_t batch = std::int64_t{box} * walk.width + column;
    return batch < walk.batches && column < walk.width && phase < walk.phases ? static_cast<int>(batch) : -1;
  }

  __device__ piece piece_of(int box, int part) const {
    piece of;
    const int batch = batch_of(box);
    if (box >= walk.boxes || batch < 0) return of;
    std::int64_t offset = phase * walk.phase_stride;
    auto left = static_cast<unsigned>(batch);
#pragma unroll 1
    for (int i = walk.kept_count - 1; i > 0; --i) {
      const auto extent = static_cast<unsigned>(walk.kept_extent[i]), above = left / extent;
      offset += (left - above * extent) * walk.kept_stride[i];
      left = above;
    }
    if (walk.kept_count > 0) offset += left * walk.kept_stride[0];
    auto other = static_cast<unsigned>(part);
    int row = 0;
    if (walk.pieces > 1) {
      other /= static_cast<unsigned>(walk.pieces);
      row = (part - static_cast<int>(other) * walk.pieces) * walk.lane_rows * walk.walk_phases;
    }
    int rows = min(walk.lane_rows * walk.walk_phases, static_cast<int>(walk.walk_extent) - row);
    of.first = phase * walk.phase_index + row * walk.walk_index;
    offset += row * walk.walk_stride;
#pragma unroll 1
    for (int i = walk.other_count - 1; i >= 0; --i) {
      const auto extent = static_cast<unsigned>(walk.other_extent[i]), above = other / extent,
                 here = other - above * extent;
      offset += here * walk.other_stride[i];
      of.first += here * walk.other_index[i];
      other = above;
    }
    if (walk.walk_phases > 1) rows = (rows - phase + walk.walk_phases - 1) / walk.walk_phases;
    of.left = max(rows, 0);
    of.at = reinterpret_cast<const std::byte*>(args.x + offset);
    return of;
  }
  /// The first part of an item.
  __device__ piece first_of(int item) const {
    if (item >= items) return {};
    const int share = share_of(item);
    return piece_of(item - share * walk.boxes, share * walk.share);
  }

  __device__ __forceinline__ void load(loaded& v, const cursor& c) const {
#pragma unroll
    for (int k = 0; k < in_flight; ++k) v.load(k, c, stride, to_partner);
  }
  /// What this thread has of an item, which begins at `next`. `v` is what it has loaded of the first step, and then of that
  /// of `following`.
  __device__ __forceinline__ part_type of_lane(int item, cursor next, loaded& v, const cursor& following) const {
    lane_type lane;
    const int share = share_of(item), box = item - share * walk.boxes, end = end_of(share);
    int number = 0, since = 0;  // of vectors, and steps since a chunk
#pragma unroll 1
    for (int part = share * walk.share; part < end; ++part) {
      [[maybe_unused]] int whole = next.left / width;
      const cursor behind = part + 1 < end ? static_cast<cursor>(piece_of(box, part + 1)) : following;
#pragma unroll 1
      for (int i = 1; i <= steps; ++i) {
        next.at += step * stride;
        next.left -= step;
        if (i == steps) next = behind;
        vector_word x[in_flight], y[two ? in_flight : 1];
#pragma unroll
        for (int k = 0; k < in_flight; ++k) {
          x[k] = bit_copy<vector_word>(v.x[k]);
          if constexpr (two) y[k] = bit_copy<vector_word>(v.y[k]);
        }
        lane.look(x, y);
#pragma unroll
        for (int k = 0; k < in_flight; ++k) {
          lane.add(x[k], y[two ? k : 0]);
          if constexpr (describes) {
            if (k < whole) lane.marks.see(x[k], number + k);
          }
          v.load(k, next, stride, to_partner);
        }
        lane.close();
        if constexpr (describes) number += in_flight, whole -= in_flight;
        if (lane_type::looks_ahead && ++since == chunk_steps) {
          lane.end_chunk();
          since = 0;
        }
      }
    }
    lane.end_chunk();
    part_type mine = lane.part(args.terms);
    if constexpr (describes) mine.marks = marks_of(kernels::asked_again(item), lane.marks);
    return mine;
  }
  /// With the places of extremes in the batch, which are looked up, and what is left behind whole vectors.
  template <class Marks>
  __device__ multifold::detail::partial_marks marks_of(int item, const Marks& seen) const {
    using bits = key_of<T>;
    const int share = share_of(item), box = item - share * walk.boxes;
    multifold::detail::partial_marks all;
    const auto element = [&](const piece& of, int i) { return loaded::load(of.at + i * stride); };
    const auto place = [&](const piece& of, int i) { return of.first + i * walk.walk_index * walk.walk_phases; };
    const auto see = [&](int number, T x) {
      if (number < 0) return;
      const int part = number / (steps * in_flight), first = (number - part * steps * in_flight) * width;
      const piece of = piece_of(box, share * walk.share + part);
      int i = first;
      while (i < first + width - 1 && bit_copy<bits>(element(of, i)) != bit_copy<bits>(x)) ++i;
      all.see(run_marks<T>::carrier_key_of(x), place(of, i));
    };
    see(seen.least_at, seen.least());
    see(seen.greatest_at, seen.greatest());
    all.zeros = seen.zeros;
#pragma unroll 1
    for (int part = share * walk.share; part < end_of(share); ++part) {
      const piece of = piece_of(box, part);
#pragma unroll 1
      for (int i = of.left - of.left % width; i < of.left; ++i) {
        const T x = element(of, i);
        all.see(run_marks<T>::carrier_key_of(x), place(of, i));
        all.zeros += to_double(x) == 0 ? 1 : 0;
      }
    }
    return all;
  }

  /// Over the lanes of a batch, in the first of them. All threads must call.
  __device__ __forceinline__ void meet(part_type& mine, slots_type& slots) const {
    if (walk.phases == 1) return;
    const int thread = static_cast<int>(threadIdx.x), apart = walk.beside ? 1 : walk.width;
    slots[thread] = mine;
#pragma unroll 1
    for (int left = walk.phases; left > 1;) {
      const int half = (left + 1) / 2;
      __syncthreads();
      if (phase + half < left && column < walk.width) {
        mine.merge(slots[thread + half * apart]);
        slots[thread] = mine;
      }
      left = half;
    }
    __syncthreads();
  }
  /// With the other shares of a batch; false where another block has the last of them. All threads must call.
  __device__ __forceinline__ bool meet_in_memory(part_type& mine, slots_type& slots, int box, int share) const {
    const auto place_of = [&](int number) -> part_type& {
      return args.meet[(std::int64_t{box} * walk.shares + number) * walk.width + column];
    };
    const bool there = column < walk.width && phase < walk.phases;
    if (there && phase == 0) place_of(share) = mine;
    __threadfence();
    if (!kernels::last_to_arrive(args.arrivals + box, walk.shares)) return false;
    mine = part_type{};
    if (there) {
#pragma unroll 1
      for (int other = phase; other < walk.shares; other += walk.phases) mine.merge(place_of(other));
    }
    meet(mine, slots);
    return true;
  }

  /// Whether the result was certain with no more ado, and is stored.
  __device__ __forceinline__ bool is_stored(int batch, const part_type& of) const {
    if constexpr (!quick) return false;
    near_totals totals;
    return totals_of<T, Set, is_signed>(of, args.length, args.terms, totals) &&
           args.output.template store_if_sure<T>(batch, args.length, totals);
  }
  __device__ __noinline__ static void deliver(const arguments& args, int batch, const part_type& of) {
    near_totals totals;
    totals.lost = !totals_of<T, Set, is_signed>(of, args.length, args.terms, totals);
    args.output(kernels::no_value{}, batch, totals);
  }
};

template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
__global__ void __launch_bounds__(part_threads, part_blocks)
    part_lanes(const __grid_constant__ lane_arguments<T, Set, Output> args) {
  using all = part_lanes_of<T, Set, Output>;
  __shared__ typename all::slots_type slots;
  kernels::let_next_start();
  const all lanes(args);
  int item = static_cast<int>(blockIdx.x);
  // What is alive where a function is called is kept in memory wherever it is used: there is no call in the inner loop,
  // and elements are asked for once more behind it.
#pragma unroll 1
  while (item < lanes.items) {
    typename all::cursor next = lanes.first_of(item);
    typename all::loaded v;
    lanes.load(v, next);
    int batch;
    bool left;  // not delivered
#pragma unroll 1
    do {
      int now = item;
      item += static_cast<int>(gridDim.x);
      const typename all::cursor at = next;
      next = lanes.first_of(item);
      typename all::part_type mine = lanes.of_lane(now, at, v, next);
      now = kernels::asked_again(now);  // what follows from it is not alive where elements are taken
      const int share = lanes.share_of(now), box = now - share * lanes.walk.boxes;
      lanes.meet(mine, slots);
      const bool whole = lanes.walk.shares == 1 || lanes.meet_in_memory(mine, slots, box, share);
      batch = lanes.batch_of(box);
      left = whole && lanes.phase == 0 && batch >= 0 && !lanes.is_stored(batch, mine);
      if (left) slots[static_cast<int>(threadIdx.x)] = mine;
    } while (all::quick && !__any_sync(kernels::whole_warp, left) && item < lanes.items);
    if (left) all::deliver(args, batch, slots[static_cast<int>(threadIdx.x)]);
  }
}

}  // namespace multifold::cuda::moments
