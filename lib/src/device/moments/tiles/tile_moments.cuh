// Moments of batches that lie in a tile as a whole, in one look at their elements, but for those that are not certain
// of their result then: run_moments.cuh takes these. As in exact/tile_sums.cuh, all that is not needed where elements are
// read is out of line. See docs/exact-sums.md, 14.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "device/moments/compensated_look.cuh"
#include "device/moments/tiles/output.cuh"
#include "device/moments/tiles/run_moments.cuh"
#include "device/runs/kept_in_turn.cuh"
#include "device/runs/tile_runs.cuh"
#include "device/runs/warp_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/runs/whole_runs.cuh"
#include "multifold/cuda/kernels/tiles/stream.cuh"

namespace multifold::inline v0_1::cuda::kernels {

template <floating_storage T, moment_set Set, class Output>
struct tile_moments_of {
  using op_type = moments::moment_fold<T, Set>;
  using arguments = pass_arguments<op_type, Output>;
  using sweeps = run_sweeps<op_type>;
  using look = compensated_look<T, Set>;
  using gathered = typename look::gathered;
  static constexpr int longest_streak = 16;

  /// With what a lane's squares begin at, by its last run, where they do.
  struct kept_type : kept_sums_of_lanes<gathered> {
    double starts[look::starts ? tile_threads : 1];

    __device__ double& start() { return starts[look::starts ? threadIdx.x : 0]; }
    __device__ void forget_all() {
      this->forget();
      start() = 0;
    }
  };

  /// A run by two looks or more, element by element.
  __device__ __forceinline__ static tile_run<T, 1> run_of(const std::byte* first, int rows, int most_rows, int stride,
                                                          int group, int lane) {
    return {{{first, first}, rows, 0, 0, {}, most_rows}, stride, group, lane, false, INT_MAX};
  }

  /// Batches that are not certain of their result after one look, all lanes of a warp for each.
  __device__ __noinline__ static void take_again(const arguments* args, const tile_map* map, const T* data,
                                                 const kept_type* kept, unsigned which) {
    const int warp = static_cast<int>(threadIdx.x) & -32, lane = static_cast<int>(threadIdx.x) & 31;
    const int rows = static_cast<int>(args->length);
    const std::int64_t stride = (map->inner == 1 ? 1 : map->row_stride) * static_cast<std::int64_t>(sizeof(T));
    const bool far = stride * rows != static_cast<int>(stride * rows);
#pragma unroll 1
    for (; which != 0; which &= which - 1) {
      const int from = warp + __ffs(static_cast<int>(which)) - 1;
      const std::int64_t batch = kept->batch[from];
      const whole_batch<op_type, Output> to{args, batch, lane == 0};
      if (far) {
        moments::near_totals lost;
        lost.lost = true;
        to(lost);
        continue;
      }
      const std::int64_t outer = map->inner == 1 ? batch : batch / map->inner, column = batch - outer * map->inner;
      const auto* const first = reinterpret_cast<const std::byte*>(data + outer * map->outer_stride + column);
      const tile_run<T, 1> run = run_of(first, rows, rows, static_cast<int>(stride), 32, lane);
      if constexpr (sizeof(T) == 2 && sums_products(Set)) {
        if (kept->sum[from].start == look::plainly && is_taken_carefully(run, kept->sum[from].squares, to)) continue;
      }
      sweeps::whole(args->op, run, to);
    }
  }
  /// The same of elements of 2 bytes whose squares plain sums do not hold: whether compensated ones do.
  template <class Run, class Deliver>
  __device__ static bool is_taken_carefully(const Run& run, double squares, const Deliver& to) {
    double start = multifold::detail::start_of_squares(squares);
    look careful(start);
    run.each([&](const auto& x, const auto&, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        if (here[k]) careful.see(x[k], k);
      }
    });
    const gathered found = careful.template meet<true>(32, start);
    moments::near_totals totals;
    const bool known = look::totals_of(found, run.rows(), run.share(), totals);
    if (known) to(totals);
    return known;
  }

  /// Rounds what the lanes of a warp keep. Returns whether most of it had to be taken again.
  template <bool Rows>
  __device__ __noinline__ static bool deliver(const arguments* args, const tile_map* map, const T* data,
                                              kept_type* kept) {
    const std::int64_t batch = kept->batch[threadIdx.x];
    const bool there = batch != kept->none;
    bool again = false;
    if (there) {
      moments::near_totals totals;
      const std::int64_t count = args->length;
      const int of_group = static_cast<int>(count) >> (31 - __clz(map->group));
      const int share = Rows ? row_walk<T>::share_of(static_cast<int>(count)) : of_group + 2 * vector_elements<T>;
      again = !look::totals_of(kept->sum[threadIdx.x], static_cast<int>(count), share, totals);
      if (!again && !args->output.template store_in_order<T>(batch, totals)) args->output(args->op, batch, totals);
    }
    __syncwarp();
    const unsigned which = __ballot_sync(whole_warp, again), all = __ballot_sync(whole_warp, there);
    if (which != 0) take_again(args, map, data, kept, which);
    __syncwarp();
    kept->forget();
    return 2 * __popc(which) > __popc(all);
  }

  /// Sets of rows in memory, by two looks or more.
  __device__ __noinline__ static void take_sets(const arguments* args, const tile_map* map, const T* data, int first,
                                                int count) {
    row_walk<T> w(data, map->array, map->outer_stride, args->batches, static_cast<int>(args->length), first);
#pragma unroll 1
    for (; count > 0; --count, ++w.set, w.next += w.step) {
      const bool there = w.there(w.set);
      constexpr int stride = sizeof(T);
      const tile_run<T, 1> run = run_of(w.next, there ? w.rows : 0, w.rows, stride, w.group, w.lane);
      sweeps::whole(args->op, run, whole_batch<op_type, Output>{args, w.batch_of(w.set), there && w.lane == 0});
    }
  }

  using stream_type = tile_stream<1, T, 1>;
  using source = typename stream_type::template source<arguments>;

  /// The runs of a warp in a tile, whatever they are, in two looks or more.
  __device__ __noinline__ static void take_any(const arguments* args, const tile_map* map, stream_type* stream,
                                               std::byte* ring, unsigned number) {
    const tile_view& view = stream->view_of(number);
    const warp_runs<T> mine(*map, view, stream_type::place_of(ring, number, view));
#pragma unroll 1
    for (int r = mine.first(number); mine.has_step(r); r += mine.lanes.together) {
      const auto at = mine.place_of(r);
      const whole_run<T> run = mine.run(r, at);
      const tile_run<T, 1> again = run_of(run.first, run.rows, view.rows, run.stride, run.group, run.lane);
      sweeps::whole(args->op, again, whole_batch<op_type, Output>{args, mine.batch(at), run.rows > 0 && run.lane == 0});
    }
  }

  /// All tiles of a block, which has asked for the first ones.
  __device__ __forceinline__ static void take_tiles(const source& from, stream_type& stream, std::byte* ring,
                                                    kept_type& kept) {
    const arguments& args = *from.args;
    int steps = 0;             // that lanes keep the sums of
    int rest = 0, streak = 0;  // tiles that are not tried, and so many after the next ones that are not certain
#pragma unroll 1
    for (unsigned number = 0;; ++number) {
      const tile_view& view = stream.wait_for(number);
      if (view.runs < 0) break;
      if (rest > 0) {
        --rest;
        take_any(&args, from.map, &stream, ring, number);
      } else {
        // Up to where lanes have kept as many sums as they may; what is known of runs is worked out anew behind that.
        int r = -1;
        bool goes_on;
        do {
          const auto here = static_cast<unsigned>(asked_again(static_cast<int>(number)));
          const tile_view& again = stream.view_of(here);
          const warp_runs<T> mine(*from.map, again, stream.place_of(ring, here, again));
          if (r < 0) r = mine.first(here);
          bool full = false;
#pragma unroll 1
          for (; !full && mine.has_step(r); r += mine.lanes.together) {
            const auto at = mine.place_of(r);
            const whole_run<T> run = mine.run(r, at);
            look sums(kept.start());
            if (run.rows > 0) run.each([&](T x, int k) { sums.see(x, k); });
            const gathered found = sums.meet(run.group, kept.start());
            full = keep_in_turn(kept, steps, run.lane, run.group, r < again.runs, found, mine.batch(at));
          }
          goes_on = mine.has_step(r);
          if (full) {
            // Warps that share runs have to go the same ways, and the first of them has what is kept.
            const bool many = deliver<false>(&args, from.map, from.data[0], &kept) && from.map->group <= 32;
            streak = many ? min(2 * streak + 1, longest_streak) : 0;
            rest = many ? streak - 1 : 0;
          }
        } while (goes_on);
      }
      stream.release(number, ring, from);
    }
    deliver<false>(&args, from.map, from.data[0], &kept);
  }
};

/// Dynamic shared memory: tile_ring_bytes. Named, like those of exact sums, as step_kind has them.
template <floating_storage T, moment_set Set, class Output>
__global__ void __launch_bounds__(tile_threads, most_tile_blocks)
    tile_sums(const T* data, const T*, const __grid_constant__ tile_map map,
              const __grid_constant__ pass_arguments<moments::moment_fold<T, Set>, Output> args) {
  using all = tile_moments_of<T, Set, Output>;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ typename all::stream_type stream;
  __shared__ typename all::kept_type kept;
  let_next_start();
  const typename all::source from{{data}, &map, &args};
  if (threadIdx.x % 32 == 0) start_group_slots();
  kept.forget_all();
  stream.start(ring, from);
  all::take_tiles(from, stream, ring, kept);
}

/// Rows that warps read by themselves (runs/warp_row.cuh).
template <floating_storage T, moment_set Set, class Output>
__global__ void __launch_bounds__(tile_threads, most_tile_blocks)
    row_sums(const T* data, const T*, const __grid_constant__ tile_map map,
             const __grid_constant__ pass_arguments<moments::moment_fold<T, Set>, Output> args) {
  using all = tile_moments_of<T, Set, Output>;
  __shared__ typename all::kept_type kept;
  let_next_start();
  if (threadIdx.x % 32 == 0) start_group_slots();
  kept.forget_all();
  __syncthreads();
  // In turns, each of which is as many sets of rows as lanes may keep sums of: those that are not tried, or whose squares
  // of elements of 2 bytes are compensated for, and so many after the next one that is not certain.
  int rest = 0, streak = 0;
  constexpr bool quick = sizeof(T) == 2 && sums_products(Set);
  int set = 0, left;
#pragma unroll 1
  do {
    row_walk<T> w(data, map.array, map.outer_stride, args.batches, static_cast<int>(args.length), set);
    left = w.sets - set;
    if (!quick && rest > 0) {
      const int some = min(rest * w.group, left);
      all::take_sets(&args, &map, data, set, some);
      set += some;
      left -= some;
      rest = 0;
      continue;
    }
    int steps = 0;
    const auto take = [&]<bool Plain>() {
      using look = compensated_look<T, Set, Plain>;
      return take_rows(
          w, [&] { return look(kept.start()); },
          [&](look& sums, bool there) {
            const auto found = sums.template meet<true>(w.group, kept.start());
            return !keep_in_turn(kept, steps, w.lane, w.group, there, found, w.batch_of(w.set));
          });
    };
    const bool plain = quick && rest == 0;
    bool inside;
    if constexpr (quick) inside = plain ? take.template operator()<true>() : take.template operator()<false>();
    else inside = take.template operator()<false>();
    set = w.set;
    left = w.sets - set;
    const bool many = all::template deliver<true>(&args, &map, data, &kept);
    if (quick && !plain) {
      --rest;
    } else {
      streak = many ? min(2 * streak + 1, all::longest_streak) : 0;
      rest = streak;
    }
    if (inside || left <= 0) continue;
    all::take_sets(&args, &map, data, set, 1);
    ++set, --left;
  } while (left > 0);
}

template <floating_storage T, moment_set Set>
requires(takes_one_look(Set) && !std::is_same_v<T, f16>) struct sum_kernels<moments::moment_fold<T, Set>> {
  static constexpr bool any = true;
  template <class Output>
  static constexpr auto* of_tiles = tile_sums<T, Set, Output>;
  template <class Output>
  static constexpr auto* of_rows = row_sums<T, Set, Output>;
};

}  // namespace multifold::inline v0_1::cuda::kernels
