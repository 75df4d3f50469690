// Moments of long rows in one look: a team of warps a row, or as many steps a block as another one, whatever rows they are
// of; sixteen bytes a load, each asked for again as soon as it is used. Rows that are not certain of their result then are
// left to moment_groups. See docs/exact-sums.md, 14.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/moments/arguments.cuh"
#include "device/moments/parts/part_walk.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/cuda/kernels/group_slots.cuh"

namespace multifold::inline v0_1::cuda::moments {

template <storage_type T, moment_set Set>
struct part_sums_of : part_walk<T, Set> {
  using walk = part_walk<T, Set>;
  using typename walk::arguments, typename walk::cursor, typename walk::lane_type, typename walk::loaded,
      typename walk::row_range, typename walk::steps_type;
  using walk::in_flight, walk::step_terms, walk::two;
  using part_type = typename gathered<T, Set>::part;
  using terms_type = typename gathered<T, Set>::terms;
  static constexpr int chunk_steps = multifold::detail::started_sum::chunk / step_terms;
  static constexpr int warps = part_threads / 32, kept = 32;

  /// Of the first warp of each team: rows that are not rounded yet.
  struct memory {
    raw_memory<part_type, warps> of_warp[2];
    raw_memory<part_type, kept> of_row[warps];
    std::int64_t row[warps][kept];
  };

  /// What this thread has of a range. `v` is what it has loaded of the first step, and then of that at `following`.
  template <class Lane>
  __device__ __forceinline__ static part_type of_lane(const row_range& of, const terms_type& terms, loaded& v,
                                                      const cursor& following) {
    Lane lane;
    if (of.last && of.in.ends() > 0) see_ends(of, lane);
    cursor next = of.start();
#pragma unroll 1
    for (int i = 1; i <= of.steps; ++i) {
      next.at += of.step();
      next.left = of.left_of(i);
      if (i == of.steps) next = following;
#pragma unroll
      for (int first = 0; first < in_flight; first += lane_type::vectors) {
        lane.look(v.x + first, v.y + (two ? first : 0));
#pragma unroll
        for (int k = first; k < first + lane_type::vectors; ++k) {
          lane.add(v.x[k], v.y[two ? k : 0]);
          if constexpr (lane_type::describes) {
            if ((v.there >> k & 1u) != 0) lane.marks.see(v.x[k], (i - 1) * in_flight + k);
          }
          v.load(k, next);
        }
        lane.close();
      }
      if (Lane::looks_ahead && i % chunk_steps == 0) lane.end_chunk();
    }
    lane.end_chunk();
    part_type mine = lane.part(terms);
    if constexpr (lane_type::describes) mine.marks = marks_of<Lane>(of, lane.marks);
    return mine;
  }
  /// With the places of extremes in the row, which are looked up.
  template <class Lane, class Marks>
  __device__ static multifold::detail::partial_marks marks_of(const row_range& of, const Marks& seen) {
    multifold::detail::partial_marks all;
    const auto see = [&](int number, std::int64_t key) {
      if (number < 0) return;
      const T* const first = reinterpret_cast<const T*>(of.first + std::int64_t{number / in_flight} * of.step() +
                                                        number % in_flight * of.apart);
      int k = 0;
      while (k < lane_type::width - 1 && Lane::mark_key(first[k]) != key) ++k;
      all.see(key, first + k - of.in.row);
    };
    see(seen.least_at, seen.least_key());
    see(seen.greatest_at, seen.greatest_key());
    all.zeros = seen.zeros;
    if (!of.last) return all;
#pragma unroll 1
    for (int i = of.thread; i < static_cast<int>(of.in.ends()); i += of.apart) {
      const std::int64_t at = of.end(i);
      const T x = of.in.row[at];
      all.see(Lane::mark_key(x), at);
      all.zeros += Lane::is_zero(x) ? 1 : 0;
    }
    return all;
  }
  /// What is not in vectors, an element at a time.
  template <class Lane>
  __device__ __forceinline__ static void see_ends(const row_range& of, Lane& lane) {
    const auto put_first = [](vector_word& into, T element) {
      auto all = bit_copy<kernels::elements_of<T>>(into);
      all.values[0] = element;
      into = bit_copy<vector_word>(all);
    };
#pragma unroll 1
    for (int i = of.thread; i < static_cast<int>(of.in.ends()); i += of.apart) {
      const std::int64_t at = of.end(i);
      loaded v;
      v.load(cursor{});
      put_first(v.x[0], of.in.row[at]);
      if constexpr (two) put_first(v.y[0], of.partner[at]);
      lane.look(v.x, v.y);
      lane.add(v.x[0], v.y[0]);
      lane.close();
    }
  }

  /// Over a team, in the lanes of its first warp.
  __device__ __forceinline__ static void merge(part_type& mine, int team, raw_memory<part_type, warps>& of_warp) {
    merge_lanes(mine, 16);
    if (team == 32) return;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int first = warp & -(team / 32);
    if (lane == 0) of_warp[warp] = mine;
    kernels::detail::synchronise_group(first, team);
    if (warp != first) return;
    mine = of_warp[first + lane % (team / 32)];
    merge_lanes(mine, team / 64);
  }
  __device__ __forceinline__ static void merge_lanes(part_type& mine, int widest) {
#pragma unroll 1
    for (int mask = widest; mask > 0; mask /= 2) mine.merge(kernels::shuffle_xor(mine, mask));
  }

  __device__ __noinline__ static void deliver(const arguments& args, std::int64_t row, std::int64_t n,
                                              const part_type& of) {
    gathered<T, Set>::deliver(args.output, row, n, of, steps_type(args, n).terms());
  }
};

template <storage_type T, moment_set Set>
__global__ void __launch_bounds__(part_threads, part_blocks)
    part_sums(const __grid_constant__ part_arguments<T, Set> args) {
  using all = part_sums_of<T, Set>;
  using part_type = typename all::part_type;
  __shared__ typename all::memory memory;
  kernels::let_next_start();
  const std::int64_t n = args.length;
  const typename all::steps_type steps(args, n);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int teams = part_threads / args.team;
  const bool leads = (thread & (args.team - 1)) < 32;
  int turn = 0, rows = 0;
  const auto deliver_rows = [&] {
    __syncwarp();
    if (lane < rows) all::deliver(args, memory.row[warp][lane], n, memory.of_row[warp][lane]);
    __syncwarp();
    rows = 0;
  };
  // Teams have every so many-th row, blocks their steps one behind the other.
  const int team = static_cast<int>(blockIdx.x) * teams + thread / args.team;
  const int apart = teams > 1 ? (static_cast<int>(gridDim.x) * teams - 1) * steps.row : 0;
  const int end = teams > 1 ? steps.all : min((team + 1) * steps.block, steps.all);
  int at = team * steps.block;
  const auto start_at = [&](int step) {
    const int row = step / steps.row, begin = step - row * steps.row;
    if (step >= end) return typename all::cursor{};
    return typename all::row_range(args, n, steps, row, begin, min(steps.row, begin + (end - step))).start();
  };
  typename all::loaded v;
  v.load(start_at(at));
#pragma unroll 1
  while (at < end) {
    const int row = at / steps.row, begin = at - row * steps.row;
    const typename all::row_range of(args, n, steps, row, begin, min(steps.row, begin + (end - at)));
    at += of.steps + apart;
    const auto following = start_at(at);
    part_type mine = gathered<T, Set>::with_lane(
        args.fold, [&]<class Lane>() { return all::template of_lane<Lane>(of, steps.terms(), v, following); });
    all::merge(mine, args.team, memory.of_warp[turn ^= 1]);
    if (begin == 0 && of.last) {
      if (!leads) continue;
      if (lane == 0) {
        memory.of_row[warp][rows] = mine;
        memory.row[warp][rows] = row;
      }
      if (++rows < all::kept) continue;
      deliver_rows();
    } else {
      const auto place_of = [&](int block) { return 2 * block + (row == steps.last_row(block) ? 1 : 0); };
      const int first = row * steps.row / steps.block, last = ((row + 1) * steps.row - 1) / steps.block;
      if (thread == 0) {
        args.meet[place_of(team)] = mine;
        __threadfence();
      }
      if (!kernels::last_to_arrive(args.arrivals + row, last - first + 1)) continue;
      part_type of_all;
      for (int block = first + thread; block <= last; block += part_threads) of_all.merge(args.meet[place_of(block)]);
      all::merge(of_all, args.team, memory.of_warp[turn ^= 1]);
      if (thread == 0) all::deliver(args, row, n, of_all);
    }
    // Asked for once more: what is alive where a function is called is kept in memory wherever it is used.
    v.load(start_at(at));
  }
  if (leads) deliver_rows();
}

}  // namespace multifold::inline v0_1::cuda::moments
