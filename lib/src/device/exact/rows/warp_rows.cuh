// Exact sums of rows of some kilobytes, of which there are many: a warp reads a row by itself, with what comes next on its
// way. Of ordinary data plain sums are exact; of others a warp adds elements to as many windows as its last rows took, in
// one read. So data cost additions, and nothing is read twice but the row that is the first of its kind. See
// docs/exact-sums.md, 14.
//
// On an H200, GB/s by tiles and by warps, of normal elements: rows of 1000 and 4096 f32 3350 and 4090, 1880 and 4040; of
// 500 and 4096 f64 2810 and 3760, 1700 and 3980; of 4096 bf16 3070 and 4250. Of 4096 f32 lognormal with sigma 3 and 10, in
// two looks and in windows that are guessed, 1510 and 3500, 910 and 2510.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "device/exact/tile_sums.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// A long row in device memory as the lanes of a warp go through it: vectors, several at a time, and what stands in front
/// of them and behind.
template <floating_storage T>
struct warp_row {
  static constexpr int width = vector_elements<T>, in_flight = 4, group = 32, stride = sizeof(T);
  const std::byte* first;
  int rows, lane;

  __device__ const T* row() const { return reinterpret_cast<const T*>(first); }
  __device__ int head() const {
    const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
    return min(rows, (width - behind) % width);
  }

  /// A lane's element of the ends, if it has one, else -0: lanes from 16 on have those behind the vectors.
  __device__ T end(int head, int vectors) const {
    const int at = lane < 16 ? lane : head + vectors * width + lane - 16;
    return (lane < 16 ? at < head : at < rows) ? row()[at] : bit_copy<T>(multifold::detail::float_layout<T>::sign);
  }
  /// Vectors number lane + 32 (at + k): past the last one, -0.
  __device__ void load(vector_word (&v)[in_flight], int head, int vectors, int at) const {
    const auto* const from = reinterpret_cast<const vector_word*>(row() + head);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const int number = lane + 32 * (at + k);
      if (number < vectors) v[k] = load_vector(from + number);
      else v[k] = nothing();
    }
  }
  __device__ static vector_word nothing() {
    vector_word v;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      v.words[i] = sizeof(T) == 2 ? 0x80008000u : sizeof(T) == 4 || i % 2 != 0 ? 0x80000000u : 0;
    return v;
  }
  template <class F>
  __device__ __forceinline__ static void each_of(const vector_word& v, const F& f) {
    const auto loaded = bit_copy<elements_of<T>>(v);
#pragma unroll
    for (int k = 0; k < width; ++k) f(loaded.values[k], k);
  }

  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    const int head = this->head(), vectors = (rows - head) / width;
    vector_word v[in_flight], ahead[in_flight];
    load(v, head, vectors, 0);
    f(end(head, vectors), 0);
#pragma unroll 1
    for (int at = 0; 32 * at < vectors; at += in_flight) {
      load(ahead, head, vectors, at + in_flight);
#pragma unroll
      for (const vector_word& each : v) each_of(each, f);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) v[k] = ahead[k];
    }
  }
};

/// What a lane sees of a row as it adds its elements to windows, which begin at a power of two that is a guess; in the end
/// it is known whether that was enough.
template <floating_storage T, int Count>
struct windows_look {
  window_layout layout;
  window_sums<Count> windows;
  magnitude_scan<T> scan;
  exponent_range<T> range;

  __device__ windows_look(int top, int log_count) : layout(top, INT_MIN / 2, log_count), windows(layout) {}
  __device__ void see(T x, int) {
    scan.see(looked_at(x));
    windows.add(to_double(x));
  }
  /// Meets with the other lanes. Returns whether the windows' sums together are that of the row.
  __device__ bool meet() {
    range = exponent_range<T>(scan);
    windows.close(layout);
    merge_group(32, range, windows.sum);
    return !range.none() && range.finite() && !starts_too_low() &&
           layout.reach(range.bottom()) <= layout.most_reach(Count) && layout.in_range(Count);
  }
  /// Whether there are elements, all of them finite, beyond the power of two that the windows began below.
  __device__ bool starts_too_low() const {
    return !range.none() && range.finite() && range.top() >= layout.unit + layout.step;
  }
  /// As many windows as the row takes, had its greatest element been known.
  __device__ int needed(int log_count) const {
    return window_layout(range.top() + room, range.bottom(), log_count).count;
  }
  static constexpr int room = 3;  // binades above the greatest elements that were seen
};

template <floating_storage T, class Output>
struct row_sums_of : tile_sums_of<T, Output> {
  using base = tile_sums_of<T, Output>;
  using typename base::arguments;
  using row = warp_row<T>;
  static constexpr int least_windows = sizeof(T) == 8 ? 2 : 1;
  static constexpr int warps = tile_threads / 32, least_top = -1000;

  /// The rows of a warp: this one and every `step`-th.
  struct walk {
    const T* data;
    std::int64_t row_stride, batch, batches, step;
    int rows, lane;
    int top;  // a power of two above what it has seen of those that take windows

    __device__ row row_of(std::int64_t b) const {
      return {reinterpret_cast<const std::byte*>(data + b * row_stride), rows, lane};
    }
  };
  struct progress {
    std::int64_t batch;  // the first row that is not taken
    int windows;         // that the next ones may take
    int top;
  };

  /// Takes rows as long as they allow that: what comes next is asked for before the elements that are there are added.
  /// `look_of(vectors, end)` begins a look, `done(look, batch)` takes what it came to, or ends the rows.
  template <class LookOf, class Done>
  __device__ __forceinline__ static void take_rows(walk& w, const LookOf& look_of, const Done& done) {
    row mine = w.row_of(w.batch);
    int head = mine.head(), vectors = (w.rows - head) / row::width;
    vector_word v[row::in_flight];
    mine.load(v, head, vectors, 0);
    T end = mine.end(head, vectors);
#pragma unroll 1
    while (w.batch < w.batches) {
      auto look = look_of(v, end);
      look.see(end, 0);
#pragma unroll 1
      for (int at = 0;;) {
        vector_word ahead[row::in_flight];
        const int here = vectors - 32 * at;
        at += row::in_flight;
        const bool goes_on = here > 32 * row::in_flight;
        if (!goes_on && w.batch + w.step < w.batches) {
          mine.first += w.step * w.row_stride * static_cast<std::int64_t>(sizeof(T));
          head = mine.head(), vectors = (w.rows - head) / row::width;
          end = mine.end(head, vectors);
          at = 0;
        }
        mine.load(ahead, head, vectors, at);
#pragma unroll
        for (int k = 0; k < row::in_flight; ++k) {
          if (32 * k < here) row::each_of(v[k], [&](T x, int i) { look.see(x, i); });
        }
#pragma unroll
        for (int k = 0; k < row::in_flight; ++k) v[k] = ahead[k];
        if (!goes_on) break;
      }
      if (!done(look, w.batch)) return;
      w.batch += w.step;
    }
  }

  template <int Count>
  __device__ __noinline__ static void hand_on(const arguments* args, window_sums<Count> windows, std::int64_t batch) {
    expansion<Count> sum;
#pragma unroll
    for (int k = 0; k < Count; ++k) sum.part[k] = windows.sum[k];
    args->partials.data[batch] = base::sweeps::accumulator_of(sum);
  }

  /// The same in `Count` windows, until rows take more, or many have taken fewer. Lanes keep sums in turn.
  template <int Count>
  __device__ __forceinline__ static progress take_in_windows(const arguments& args, walk w) {
    constexpr int enough = 16;
    const int log_count = log_of_count(w.rows);
    int top = w.top, steps = 0, fewer = 0, most = 1, windows = Count;
    exact_pair kept;
    std::int64_t kept_batch = -1;
    const auto deliver = [&] {
      if (kept_batch >= 0) base::deliver(&args, kept.high, kept.low, kept_batch);
      kept_batch = -1;
      steps = 0;
      __syncwarp();
    };
    const auto look_of = [&](const vector_word(&v)[row::in_flight], T end) {
      magnitude_scan<T> scan;
      scan.see(looked_at(end));
#pragma unroll
      for (const vector_word& each : v) row::each_of(each, [&](T x, int) { scan.see(looked_at(x)); });
      const exponent_range<T> first(scan);
      if (!first.none() && first.finite()) top = max(top, first.top() + windows_look<T, Count>::room);
      top = greatest_of_warp(top);
      return windows_look<T, Count>(top, log_count);
    };
    take_rows(w, look_of, [&](windows_look<T, Count>& look, std::int64_t batch) {
      if (!look.meet()) {
        top = look.starts_too_low() ? look.range.top() + 1 : least_top;
        return false;
      }
      if (args.partials.data != nullptr) {
        if (w.lane == 0) hand_on(&args, look.windows, batch);
      } else {
        exact_pair sum;
        if (!multifold::detail::odd_pair(look.windows.sum, sum)) return false;
        if (w.lane == steps) kept = sum, kept_batch = batch;
        if (++steps == 32) deliver();
      }
      top = max(top, look.range.top() + 1);
      const int needed = look.needed(log_count);
      fewer = needed < Count ? fewer + 1 : 0;
      most = fewer == 1 ? needed : max(most, needed);
      if (fewer < enough || Count == least_windows) return true;
      w.batch += w.step;
      windows = most;
      return false;
    });
    deliver();
    return {w.batch, windows, top};
  }
  template <int Count>
  __device__ __noinline__ static progress take_in_many(const arguments* args, walk w) {
    return take_in_windows<Count>(*args, w);
  }

  /// Once in 32 rows.
  __device__ __forceinline__ static void deliver_in_turn(const arguments& args, std::int64_t batch, double sum) {
    if (args.partials.data != nullptr || args.output.takes_numbers_in_order())
      base::template deliver_ordinary<true>(args, batch, sum);
    else base::template deliver_ordinary<false>(args, batch, sum);
  }

  /// A row, whatever it is. Returns how many windows it takes.
  __device__ __noinline__ static int take_any(const arguments* args, row mine, std::int64_t batch) {
    int windows = 0;
    const exact_pair sum = base::sum_of(*args, mine, mine.rows, batch, windows);
    if (mine.lane == 0 && !sum.lost()) base::deliver(args, sum.high, sum.low, batch);
    return windows;
  }
};

template <floating_storage T, class Output>
__global__ void __launch_bounds__(tile_threads, most_tile_blocks)
    row_sums(const T* data, const T*, const __grid_constant__ tile_map map,
             const __grid_constant__ pass_arguments<expansion_sum<T>, Output> args) {
  using sums = row_sums_of<T, Output>;
  __shared__ kept_sums_of_lanes<double> kept;
  let_next_start();
  if (threadIdx.x % 32 == 0) start_group_slots();
  kept.forget();
  __syncthreads();
  typename sums::walk w{data,
                        map.outer_stride,
                        std::int64_t{blockIdx.x} * sums::warps + threadIdx.x / 32,
                        args.batches,
                        std::int64_t{gridDim.x} * sums::warps,
                        static_cast<int>(args.length),
                        static_cast<int>(threadIdx.x) % 32,
                        sums::least_top};
  const bool any_windows = args.partials.data != nullptr || args.output.to.plain;  // no sum is merged as it is
  int windows = sums::least_windows, steps = 0;
  int rest = 0, streak = 0;  // rows that are not tried, and so many after the next one that does not fit
#pragma unroll 1
  while (w.batch < w.batches) {
    typename sums::progress next{w.batch, windows, w.top};
    const int most = max(windows, 2);
    const std::int64_t before = w.batch;
    const bool tried = rest == 0;
    if (rest > 0) {
      --rest;
    } else if (sizeof(T) < 8 && windows <= 1) {
      if constexpr (sizeof(T) < 8) {
        const auto out = [&](std::int64_t b, double sum) { sums::deliver_in_turn(args, b, sum); };
        const auto done = [&](first_look<T>& look, std::int64_t batch) {
          if (!look.meet(32)) return false;
          if (keep_in_turn(kept, steps, w.lane, 32, true, look.all(), batch)) deliver_turn(kept, out);
          return true;
        };
        sums::take_rows(
            w, [](const auto&, T) { return first_look<T>(); }, done);
        next.batch = w.batch;
      }
    } else if (most == 2) {
      next = sums::template take_in_many<2>(&args, w);
    } else if (any_windows) {
      if (most == 3) next = sums::template take_in_many<3>(&args, w);
      else if (most == 4) next = sums::template take_in_many<4>(&args, w);
      else if (most <= 6) next = sums::template take_in_many<6>(&args, w);
      else if (most <= sums::most_windows) next = sums::template take_in_many<sums::most_windows>(&args, w);
    }
    const bool some = next.batch > before;
    w.batch = next.batch;
    w.top = next.top;
    if (next.windows < windows) {
      windows = max(next.windows, sums::least_windows);
    } else if (w.batch < w.batches) {
      // Of rows of ordinary data one does not fit now and then: two in turn do not.
      const int taken = sums::take_any(&args, w.row_of(w.batch), w.batch);
      w.batch += w.step;
      if ((windows > 1 || !some) && taken <= sums::most_windows) windows = max(windows, taken);
      if (tried) {
        if (!some) rest = streak;
        streak = some ? 0 : min(2 * streak + 1, 16);
      }
    }
  }
  if constexpr (sizeof(T) < 8)
    deliver_turn(kept, [&](std::int64_t b, double sum) { sums::deliver_in_turn(args, b, sum); });
}

template <floating_storage T>
struct sum_kernels<expansion_sum<T>> {
  static constexpr bool any = true;
  template <class Output>
  static constexpr auto* of_tiles = tile_sums<T, Output>;
  template <class Output>
  static constexpr auto* of_rows = row_sums<T, Output>;
};

}  // namespace multifold::inline v0_1::cuda::kernels
