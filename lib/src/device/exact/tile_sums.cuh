// Exact sums of batches that lie in a tile as a whole. Lanes look at their elements once, and where the exponents of a
// run allow that, which those of ordinary data do, its plain sum is exact; else they add them up in as many windows as it
// asks for. Either way a run ends as a pair, which rounds as its sum does; lanes keep pairs in turn, so that a warp
// rounds and stores those of many runs at once. See docs/exact-sums.md, 14.
//
// What counts here is how few registers are alive where elements are read: what is spilled there is traffic, as much as
// the array has. So all else is out of line.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/exact/first_look.cuh"
#include "device/exact/group_exchange.cuh"
#include "device/exact/run_sums.cuh"
#include "device/runs/kept_in_turn.cuh"
#include "device/runs/tile_runs.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/runs/whole_runs.cuh"
#include "multifold/cuda/kernels/tiles/stream.cuh"
#include "multifold/exact/expansions/odd_pair.hpp"
#include "multifold/exact/windows.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// A pair in shared memory, which has no constructors.
struct two_numbers {
  double high, low;
};

template <floating_storage T, class Output>
struct tile_sums_of {
  using op_type = expansion_sum<T>;
  using arguments = pass_arguments<op_type, Output>;
  using sweeps = run_sweeps<op_type>;
  static constexpr int most_windows = sweeps::most_windows;

  /// What ordinary runs end as: a number, of doubles a pair.
  using ordinary_sum = std::conditional_t<sizeof(T) == 8, two_numbers, double>;

  /// `Plain`: results are taken as they are, or partial sums.
  template <bool Plain>
  __device__ __forceinline__ static void deliver_ordinary(const arguments& args, std::int64_t batch,
                                                          const ordinary_sum& sum) {
    const auto all = [&] {
      if constexpr (sizeof(T) == 8) return exact_pair{sum.high, sum.low};
      else return sum;
    }();
    if constexpr (Plain) {
      if (args.partials.data != nullptr) args.partials.data[batch] = sweeps::accumulator_of(all);
      else args.output.store_ordinary(batch, all);
    } else if constexpr (sizeof(T) == 8) {
      deliver(&args, sum.high, sum.low, batch);
    } else {
      deliver(&args, sum, 0.0, batch);
    }
  }
  __device__ __noinline__ static void deliver(const arguments* args, double high, double low, std::int64_t batch) {
    const exact_pair sum{high, low};
    if (args->partials.data != nullptr) args->partials.data[batch] = sweeps::accumulator_of(sum);
    else args->output(args->op, batch, sum);
  }
  /// The greatest and the least exponent of a run, and its sum, which may be rounded.
  struct second_look {
    double sum;
    exponent_range<T> range;
  };
  template <class Run>
  __device__ __forceinline__ static second_look look_at(const Run& run) {
    double sum[2] = {-0.0, -0.0};
    magnitude_scan<T> scan;
    if (run.rows > 0) {
      run.each([&](T x, int k) {
        scan.see(looked_at(x));
        sum[k % 2] += to_double(x);
      });
    }
    second_look all{sum[0] + sum[1], exponent_range<T>(scan)};
    merge_group(run.group, all.range, all.sum);
    return all;
  }

  /// The sum in windows of the lanes' group, as a pair that rounds as it does; lost, where none is certain to.
  template <int Count, class Run>
  __device__ __forceinline__ static exact_pair in_windows(const Run& run, const window_layout& layout) {
    window_sums<Count> windows(layout);
    if (run.rows > 0) run.each([&](T x, int) { windows.add(to_double(x)); });
    windows.close(layout);
    merge_group(run.group, windows.sum);
    exact_pair sum;
    if (!multifold::detail::odd_pair(windows.sum, sum) || !layout.in_range(Count)) sum.low = lost_part();
    return sum;
  }
  template <int Count, class Run>
  __device__ __noinline__ static exact_pair in_many(Run run, window_layout layout) {
    return in_windows<Count>(run, layout);
  }

  /// The sum of a run that is ordinary. Returns whether it is.
  __device__ __forceinline__ static bool take_ordinary(const whole_run<T>& run, int log_count, ordinary_sum& sum) {
    if constexpr (sizeof(T) == 8) {
      // Two doubles are hardly ever one together.
      const second_look look = look_at(run);
      const window_layout layout(look.range.top(), look.range.bottom(), log_count);
      const bool none = look.range.none();
      const exact_pair pair = in_windows<2>(run, layout);
      sum = none ? two_numbers{look.sum, 0.0} : two_numbers{pair.high, pair.low};
      return none || (look.range.finite() && layout.two_are_enough(look.range.bottom()) && !pair.lost());
    } else {
      first_look<T> look;
      if (run.rows > 0) run.each([&](T x, int k) { look.see(x, k); });
      const bool certain = look.meet(run.group);
      sum = look.all();
      return certain;
    }
  }

  /// What is left: other results than plain ones, runs that are not finite, and those that no pair stands for.
  template <class Run>
  __device__ __noinline__ static void seldom(const arguments* args, Run run, int most_rows, double plain,
                                             exponent_range<T> range, std::int64_t batch) {
    const tile_run<T, 1> again{
        {{run.first, run.first}, run.rows, 0, 0, {}, most_rows}, run.stride, run.group, run.lane, false, INT_MAX};
    sweeps::seldom(again, plain, range, whole_batch<op_type, Output>{args, batch, run.rows > 0 && run.lane == 0});
  }

  /// The sum of a run that one double may not hold, and how many windows that takes; lost: it has been delivered.
  template <class Run>
  __device__ __forceinline__ static exact_pair sum_of(const arguments& args, const Run& run, int most_rows,
                                                      std::int64_t batch, int& windows) {
    const second_look look = look_at(run);
    const window_layout layout(look.range.top(), look.range.bottom(), log_of_count(most_rows));
    const bool finite = look.range.finite(), in_range = look.sum - look.sum == 0;
    const bool number = run.rows == 0 || (finite && in_range && (look.range.none() || layout.count == 1));
    windows = greatest_of_warp(number ? 1 : finite ? max(layout.count, 2) : most_windows + 1);
    exact_pair sum{look.sum, 0.0};
    if (windows == 1) return sum;
    if (windows <= most_windows) {
      Run mine = run;
      if (number) mine.rows = 0;
      exact_pair pair;
      if (windows == 2) pair = in_many<2>(mine, layout);
      else if (windows == 3) pair = in_many<3>(mine, layout);
      else if (windows == 4) pair = in_many<4>(mine, layout);
      else if (windows <= 6) pair = in_many<6>(mine, layout);
      else pair = in_many<most_windows>(mine, layout);
      if (!number) sum = pair;
    }
    const bool exactly = windows > 2 && (args.partials.data != nullptr || !args.output.to.plain);
    if (windows <= most_windows && !exactly && __all_sync(whole_warp, !sum.lost())) return sum;
    seldom(&args, run, most_rows, look.sum, look.range, batch);
    return {0.0, lost_part()};
  }

  /// The runs of a warp in a tile, from `r` on, whatever they are. Out of line, as what ordinary data do not need. Lanes
  /// keep sums in turn, in registers, up to the tile's end.
  template <class Stream>
  __device__ __noinline__ static void take_any(const arguments* args, const tile_map* map, Stream* stream,
                                               std::byte* ring, unsigned number, int r) {
    const tile_view& view = stream->view_of(number);
    const warp_runs<T> mine(*map, view, Stream::place_of(ring, number, view));
    int windows = 0;
    exact_pair kept;
    std::int64_t kept_batch = -1;
    int steps = 0;
#pragma unroll 1
    for (; mine.has_step(r); r += mine.lanes.together) {
      const auto at = mine.place_of(r);
      const exact_pair sum = sum_of(*args, mine.run(r, at), view.rows, mine.batch(at), windows);
      if (mine.lanes.lane == steps && r < view.runs && !sum.lost()) kept = sum, kept_batch = mine.batch(at);
      if (++steps < min(mine.lanes.group, 32) && mine.has_step(r + mine.lanes.together)) continue;
      if (kept_batch >= 0) deliver(args, kept.high, kept.low, kept_batch);
      kept_batch = -1;
      steps = 0;
      __syncwarp();
    }
  }

  using stream_type = tile_stream<1, T, 1>;
  using source = typename stream_type::template source<arguments>;
  using kept_type = kept_sums_of_lanes<ordinary_sum>;

  /// All tiles of a block, which has asked for the first ones. `Plain`: nothing that is called out of line takes ordinary
  /// sums, so that nothing has to be kept beside the call.
  template <bool Plain>
  __device__ __forceinline__ static void take_tiles(const source& from, stream_type& stream, std::byte* ring,
                                                    kept_type& kept) {
    const arguments& args = *from.args;
    const auto out = [&](std::int64_t batch, const auto& sum) { deliver_ordinary<Plain>(args, batch, sum); };
    int steps = 0;             // that lanes keep the sums of
    int rest = 0, streak = 0;  // tiles that are not tried, and so many after the next one that is not ordinary
#pragma unroll 1
    for (unsigned number = 0;; ++number) {
      const tile_view& view = stream.wait_for(number);
      if (view.runs < 0) break;
      const warp_runs<T> mine(*from.map, view, stream.place_of(ring, number, view));
      int r = mine.first(number);
      const bool tried = rest == 0;
      if (!tried) {
        --rest;
      } else {
        [[maybe_unused]] const int log_count = log_of_count(view.rows);
#pragma unroll 1
        for (; mine.has_step(r); r += mine.lanes.together) {
          const auto at = mine.place_of(r);
          const whole_run<T> run = mine.run(r, at);
          ordinary_sum sum{};
          const bool certain = take_ordinary(run, log_count, sum);
          if (!__all_sync(whole_warp, certain || run.rows == 0)) break;
          if (mine.lanes.group == 1) {
            if (r < view.runs) out(mine.batch(at), sum);
          } else if (keep_in_turn(kept, steps, mine.lanes.lane, mine.lanes.group, r < view.runs, sum, mine.batch(at))) {
            deliver_turn(kept, out);
          }
        }
      }
      if (mine.has_step(r)) {
        take_any(&args, from.map, &stream, ring, number, r);
        if (tried) rest = streak, streak = min(2 * streak + 1, 16);
      } else {
        streak = 0;
      }
      stream.release(number, ring, from);
    }
    deliver_turn(kept, out);
  }
  __device__ __noinline__ static void take_tiles_else(source from, stream_type* stream, std::byte* ring,
                                                      kept_type* kept) {
    take_tiles<false>(from, *stream, ring, *kept);
  }
};

/// Dynamic shared memory: tile_ring_bytes.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(tile_threads, most_tile_blocks)
    tile_sums(const T* data, const T*, const __grid_constant__ tile_map map,
              const __grid_constant__ pass_arguments<expansion_sum<T>, Output> args) {
  using sums = tile_sums_of<T, Output>;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ typename sums::stream_type stream;
  __shared__ typename sums::kept_type kept;
  let_next_start();
  const typename sums::source from{{data}, &map, &args};
  if (threadIdx.x % 32 == 0) start_group_slots();
  kept.forget();
  stream.start(ring, from);
  if (args.partials.data != nullptr || args.output.takes_numbers_in_order())
    sums::template take_tiles<true>(from, stream, ring, kept);
  else sums::take_tiles_else(from, &stream, ring, &kept);
}

}  // namespace multifold::inline v0_1::cuda::kernels
