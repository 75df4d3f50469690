// Moments of batches of any strides in one look: a lane has a batch, or some elements of one, a load each, and its
// neighbours have what lies beside it. Lanes of a batch meet in the block, and blocks in memory. Batches that are not
// certain of their result then are left to moment_groups. See docs/exact-sums.md, 14.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/moments/parts/lane_parts.cuh"
#include "device/runs/warp_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::inline v0_1::cuda::moments {

template <storage_type T, moment_set Set, class Output = output_of_parts<T, Set>>
struct part_lanes_of : lane_parts<T, Set, Output> {
  using base = lane_parts<T, Set, Output>;
  using base::args, base::walk, base::steps, base::stride, base::to_partner, base::column, base::phase, base::load,
      base::share_of, base::end_of, base::part_of, base::is_signed, base::two, base::describes, base::width,
      base::in_flight, base::step, base::quick;
  using typename base::arguments, typename base::cursor, typename base::lane_type, typename base::loaded,
      typename base::part_type, typename base::lane_part, typename base::slots_type;
  static constexpr int chunk_steps = multifold::detail::started_sum::chunk / step;
  using base::base;

  /// What this thread has of an item, which begins at `next`. `v` is what it has loaded of the first step, and then of that
  /// of `following`.
  template <class Lane>
  __device__ __forceinline__ part_type of_lane(int item, cursor next, loaded& v, const cursor& following) const {
    Lane lane;
    const int share = share_of(item), box = item - share * walk.boxes, end = end_of(share);
    [[maybe_unused]] multifold::detail::partial_marks marks;
    int since = 0;  // steps since a chunk
#pragma unroll 1
    for (int part = share * walk.share; part < end; ++part) {
      [[maybe_unused]] const int whole = next.left / width;
      const cursor behind = part + 1 < end ? static_cast<cursor>(part_of(box, part + 1)) : following;
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
            const int number = (i - 1) * in_flight + k;
            if (number < whole) lane.marks.see(x[k], number);
          }
          v.load(k, next, stride, to_partner);
        }
        lane.close();
        if (Lane::looks_ahead && ++since == chunk_steps) {
          lane.end_chunk();
          since = 0;
        }
      }
      if constexpr (describes) {
        settle<Lane>(box, part, lane.marks, marks);
        lane.marks = {};
      }
    }
    lane.end_chunk();
    part_type mine = lane.part(args.terms);
    if constexpr (describes) mine.marks = marks;
    return mine;
  }
  __device__ __forceinline__ part_type of_lane(int item, const cursor& next, loaded& v, const cursor& following) const {
    return gathered<T, Set, is_signed>::with_lane(
        args.fold, [&]<class Lane>() { return of_lane<Lane>(item, next, v, following); });
  }
  /// Adds what was seen of a part, and what is left behind its whole vectors. An extreme's place in the batch is looked up
  /// where it is less, or as great and may be in front of the one that is known: places do not ascend from part to part.
  template <class Lane, class Marks>
  __device__ void settle(int box, int part, const Marks& seen, multifold::detail::partial_marks& all) const {
    const lane_part of = part_of(box, part);
    const auto element = [&](int i) { return loaded::load(of.at + i * stride); };
    const auto place = [&](int i) { return of.first + i * walk.walk_index * walk.walk_phases; };
    const auto see = [&](int number, std::int64_t key, bool further, bool as_far, std::int64_t known_at) {
      const int first = number * width;
      if (number < 0 || !(further || (as_far && place(first) < known_at))) return;
      int i = first;
      while (i < first + width - 1 && Lane::mark_key(element(i)) != key) ++i;
      all.see(key, place(i));
    };
    const std::int64_t least = seen.least_key(), greatest = seen.greatest_key();
    see(seen.least_at, least, least < all.least, least == all.least, all.least_at);
    see(seen.greatest_at, greatest, greatest > all.greatest, greatest == all.greatest, all.greatest_at);
    all.zeros += seen.zeros;
#pragma unroll 1
    for (int i = of.left - of.left % width; i < of.left; ++i) {
      const T x = element(i);
      all.see(Lane::mark_key(x), place(i));
      all.zeros += Lane::is_zero(x) ? 1 : 0;
    }
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
    if constexpr (!quick) {
      return false;
    } else {
      near_totals totals;
      return totals_of<T, Set, is_signed>(of, args.length, args.terms, totals) &&
             args.output.template store_if_sure<T>(batch, args.length, totals);
    }
  }
  __device__ __noinline__ static void deliver(const arguments& args, int batch, const part_type& of) {
    gathered<T, Set, is_signed>::deliver(args.output, batch, args.length, of, args.terms);
  }
};

template <storage_type T, moment_set Set, class Output = output_of_parts<T, Set>>
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

}  // namespace multifold::inline v0_1::cuda::moments
