// Moments of batches of any strides in one look: a lane has a batch or two, or some elements of one, and its neighbours have
// what lies beside it. Lanes of a batch meet in the block, and blocks in memory. Batches that are not certain of their result
// then are left to moment_groups. See docs/exact-sums.md, 14.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/moments/parts/lane_pieces.cuh"
#include "device/moments/parts/part_totals.cuh"
#include "device/runs/warp_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::moments {

template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
struct part_lanes_of : lane_pieces<T, Set, Output> {
  using base = lane_pieces<T, Set, Output>;
  using base::args, base::walk, base::steps, base::by, base::column, base::phase, base::load, base::share_of, base::end_of,
      base::piece_of, base::is_signed, base::two, base::describes, base::width, base::in_flight, base::step, base::quick,
      base::words, base::columns;
  using typename base::arguments, typename base::lane_type, typename base::loaded, typename base::part_type,
      typename base::piece, typename base::slots_type;
  static constexpr int chunk_steps = multifold::detail::started_sum::chunk / step;
  using base::base;

  /// What this thread has of an item, which begins at `next`: of each of its columns. `v` is what it has loaded of the first
  /// step, and then of that of `following`.
  __device__ __forceinline__ void of_lane(int item, lane_cursor next, loaded& v, const lane_cursor& following,
                                          part_type* mine) const {
    lane_type lane[columns];
    const int share = share_of(item), box = item - share * walk.boxes, end = end_of(share);
    int number = 0, since = 0;  // of vectors, and steps since a chunk
#pragma unroll 1
    for (int part = share * walk.share; part < end; ++part) {
      [[maybe_unused]] int whole = next.left / width;
      const lane_cursor behind = part + 1 < end ? static_cast<lane_cursor>(piece_of(box, part + 1)) : following;
#pragma unroll 1
      for (int i = 1; i <= steps; ++i) {
        next.at += step * by.stride;
        next.left -= step;
        if constexpr (words) next.word += step * walk.word_step;
        if (i == steps) next = behind;
        vector_word x[columns][in_flight], y[columns][two ? in_flight : 1];
#pragma unroll
        for (int c = 0; c < columns; ++c) {
#pragma unroll
          for (int k = 0; k < in_flight; ++k) {
            x[c][k] = v.first(k, c);
            if constexpr (two) y[c][k] = v.second(k, c);
          }
          lane[c].look(x[c], y[c]);
        }
#pragma unroll
        for (int k = 0; k < in_flight; ++k) {
#pragma unroll
          for (int c = 0; c < columns; ++c) lane[c].add(x[c][k], y[c][two ? k : 0]);
          if constexpr (describes) {
            if (k < whole) lane[0].marks.see(x[0][k], number + k);
          }
          v.load(k, next, by, walk);
        }
#pragma unroll
        for (int c = 0; c < columns; ++c) lane[c].close();
        if constexpr (describes) number += in_flight, whole -= in_flight;
        if (lane_type::looks_ahead && ++since == chunk_steps) {
#pragma unroll
          for (int c = 0; c < columns; ++c) lane[c].end_chunk();
          since = 0;
        }
      }
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      lane[c].end_chunk();
      mine[c] = lane[c].part(args.terms);
    }
    if constexpr (words) {
      if (walk.beside) mine[0].merge(mine[1]);
    }
    if constexpr (describes) mine[0].marks = marks_of(kernels::asked_again(item), lane[0].marks);
  }
  /// With the places of extremes in the batch, which are looked up, and what is left behind whole vectors.
  template <class Marks>
  __device__ multifold::detail::partial_marks marks_of(int item, const Marks& seen) const {
    using bits = key_of<T>;
    const int share = share_of(item), box = item - share * walk.boxes;
    multifold::detail::partial_marks all;
    const auto element = [&](const piece& of, int i) { return loaded::load(of.at + i * by.stride); };
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

  /// Over the lanes of a batch, in the first of them, or of those of each kind. All threads must call.
  __device__ __forceinline__ void meet(part_type& mine, slots_type& slots, bool kinds_apart) const {
    if (walk.phases == 1) return;
    const int thread = static_cast<int>(threadIdx.x), apart = walk.beside ? 1 : walk.width;
    const int turns = kinds_apart ? walk.turns() : walk.phases, turn = kinds_apart && phase >= turns ? phase - turns : phase;
    slots[thread] = mine;
#pragma unroll 1
    for (int left = turns; left > 1;) {
      const int half = (left + 1) / 2;
      __syncthreads();
      if (turn + half < left && phase < walk.phases && column < walk.width) {
        mine.merge(slots[thread + half * apart]);
        slots[thread] = mine;
      }
      left = half;
    }
    __syncthreads();
  }
  /// What the lanes of odd lines have of a column, to those of others: their words begin a column before. All threads must
  /// call.
  __device__ __forceinline__ void meet_kinds(part_type* mine, slots_type& slots) const {
    const int thread = static_cast<int>(threadIdx.x), away = walk.turns() * walk.width;
    const bool takes = phase == 0 && column < walk.width, gives = phase == walk.turns() && column < walk.width;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (gives) slots[thread] = mine[1 - half];
      __syncthreads();
      if (takes && column + half < walk.width) mine[half].merge(slots[thread + away + half]);
      __syncthreads();
    }
  }
  __device__ __forceinline__ void meet_in_block(part_type* mine, slots_type& slots) const {
    const bool kinds_apart = words && walk.by_kind && !walk.beside;
    meet(mine[0], slots, kinds_apart);
    if constexpr (words) {
      if (!walk.beside) meet(mine[1], slots, kinds_apart);
      if (kinds_apart) meet_kinds(mine, slots);
    }
  }
  /// With the other shares of a batch; false where another block has the last of them. All threads must call.
  __device__ __forceinline__ bool meet_in_memory(part_type* mine, slots_type& slots, int box, int share) const {
    const int results = words ? walk.results_of_lane() : 1;
    const auto place_of = [&](int number, int c) -> part_type& {
      return args.meet[((std::int64_t{box} * walk.shares + number) * walk.width + column) * results + c];
    };
    const bool there = column < walk.width && phase < walk.phases;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      if (there && phase == 0 && c < results) place_of(share, c) = mine[c];
    }
    __threadfence();
    if (!kernels::last_to_arrive(args.arrivals + box, walk.shares)) return false;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      mine[c] = part_type{};
      if (there && c < results) {
#pragma unroll 1
        for (int other = phase; other < walk.shares; other += walk.phases) mine[c].merge(place_of(other, c));
      }
      meet(mine[c], slots, false);
    }
    return true;
  }

  /// Whether the result was certain with no more ado, and is stored.
  __device__ __forceinline__ bool is_stored(int result, const part_type& of) const {
    if constexpr (!quick) return false;
    near_totals totals;
    return totals_of<T, Set, is_signed>(of, args.length, args.terms, totals) &&
           args.output.template store_if_sure<T>(result, args.length, totals);
  }
  __device__ __noinline__ static void deliver(const arguments& args, int result, const part_type& of) {
    near_totals totals;
    totals.lost = !totals_of<T, Set, is_signed>(of, args.length, args.terms, totals);
    args.output(kernels::no_value{}, result, totals);
  }
};

template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
__global__ void __launch_bounds__(part_threads, multifold::detail::lane_blocks(lane_pieces<T, Set, Output>::words))
    part_lanes(const __grid_constant__ lane_arguments<T, Set, Output> args) {
  using all = part_lanes_of<T, Set, Output>;
  constexpr int columns = all::columns;
  __shared__ typename all::slots_type slots;
  kernels::let_next_start();
  const all lanes(args);
  const int thread = static_cast<int>(threadIdx.x);
  int item = static_cast<int>(blockIdx.x);
  // What is alive where a function is called is kept in memory wherever it is used: there is no call in the inner loop,
  // and elements are asked for once more behind it.
#pragma unroll 1
  while (item < lanes.items) {
    lane_cursor next = lanes.first_of(item);
    typename all::loaded v;
    lanes.load(v, next);
    typename all::part_type mine[columns];
    int left[columns];  // results that are not delivered
    bool any;
#pragma unroll 1
    do {
      int now = item;
      item += static_cast<int>(gridDim.x);
      const lane_cursor at = next;
      next = lanes.first_of(item);
      lanes.of_lane(now, at, v, next, mine);
      now = kernels::asked_again(now);  // what follows from it is not alive where elements are taken
      const int share = lanes.share_of(now), box = now - share * lanes.walk.boxes;
      lanes.meet_in_block(mine, slots);
      const bool whole = lanes.walk.shares == 1 || lanes.meet_in_memory(mine, slots, box, share);
      any = false;
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        left[c] = whole ? lanes.result_of(box, c, at.odd) : -1;
        if (left[c] >= 0 && lanes.is_stored(left[c], mine[c])) left[c] = -1;
        any = any || left[c] >= 0;
      }
    } while (all::quick && !__any_sync(kernels::whole_warp, any) && item < lanes.items);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      if (left[c] < 0) continue;
      slots[thread] = mine[c];
      all::deliver(args, left[c], slots[thread]);
    }
  }
}

}  // namespace multifold::cuda::moments
