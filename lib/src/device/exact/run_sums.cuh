// Exact sums of the runs of a tile: a first look at exponents, which is all that ordinary data need, and a second one
// in as many windows as those ask for. See docs/exact-sums.md, 14.
#pragma once

#include <cstdint>

#include "device/exact/group_exchange.cuh"
#include "device/exact/merged_expansions.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"
#include "multifold/exact/windows.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// As magnitudes are looked at: narrow formats as floats.
template <floating_storage T>
__device__ auto looked_at(T x) {
  if constexpr (sizeof(T) == 2) return to_float(x);
  else return x;
}

/// Which infinities and NaN a run has.
struct special_marks {
  enum : unsigned { nan = 1, positive_infinity = 2, negative_infinity = 4 };
  unsigned bits = 0;

  __device__ void see(float x) {
    bits |= x != x ? nan : isinf(x) ? (x > 0 ? positive_infinity : negative_infinity) : 0u;
  }
};
__device__ inline void merge_with(special_marks& marks, int mask) {
  marks.bits |= __shfl_xor_sync(whole_warp, marks.bits, mask);
}

/// The low part of a pair that is lost.
__device__ inline double lost_part() { return bit_copy<double>(std::uint64_t{0x7ff8000000000000}); }

template <floating_storage T>
struct run_sweeps<expansion_sum<T>> {
  static constexpr bool any = true, hands_on = true;
  using op_type = expansion_sum<T>;
  using accumulator = typename op_type::accumulator;
  static constexpr int most_windows = 8;  // all that narrow formats can need
  static constexpr int most_rows_of_pair = 4;
  static constexpr int most_columns = most_tile_columns(sizeof(T));

  struct first_look {
    double sum;
    exponent_range<T> range;
  };

  template <class Run>
  __device__ static first_look look_at(const Run& run) {
    double sum[2] = {-0.0, -0.0};
    magnitude_scan<T> scan;
    run.each([&](const auto& x, const auto&, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        scan.see(looked_at(x[k]));
        sum[k % 2] += here[k] ? to_double(x[k]) : -0.0;
      }
    });
    return {sum[0] + sum[1], exponent_range<T>(scan)};
  }

  template <int Count, class Run>
  __device__ static window_sums<Count> in_windows(const Run& run, const window_layout& layout) {
    window_sums<Count> windows(layout);
    const auto add = [&](const auto& x, const auto&, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) windows.add(here[k] ? to_double(x[k]) : 0.0);
    };
    if constexpr (Count == 2) run.each(add);
    else run.each_slowly(add);
    windows.close(layout);
    return windows;
  }

  // The sum over a group, of nothing where no lane has elements. Out of line: so many windows take the registers that
  // ordinary data want.
  template <int Count, class Run>
  __device__ __noinline__ static expansion<Count> of_group(Run run, window_layout layout) {
    auto windows = in_windows<Count>(run, layout);
    merge_group(run.group, windows.sum);
    expansion<Count> sum;
#pragma unroll
    for (int k = 0; k < Count; ++k) sum.part[k] = run.rows() > 0 ? windows.sum[k] : 0.0;
    return sum;
  }

  // The sum of a run that a lane has alone, lost where its rounding errors are too far apart for one number: those of
  // two elements never are.
  template <class Run>
  __device__ static exact_pair pair_of(const Run& run) {
    exact_pair pair{-0.0, 0.0};
    bool lost = false;
    run.each_slowly([&](const auto& x, const auto&, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        const auto high = multifold::detail::add_exactly(pair.high, here[k] ? to_double(x[k]) : -0.0);
        const auto low = multifold::detail::add_exactly(pair.low, high.error);
        pair = {high.sum, low.sum};
        lost = lost || low.error != 0;
      }
    });
    return {pair.high, lost ? lost_part() : pair.low};
  }

  // What becomes of runs that are not finite: of narrow elements, nothing is left to be added again.
  template <class Run, class Deliver>
  __device__ static void deliver_specials(const Run& run, bool special, const Deliver& deliver) {
    if (!__any_sync(whole_warp, special)) return;
    if constexpr (sizeof(T) <= 4) {
      special_marks marks;
      run.each_slowly([&](const auto& x, const auto&, const auto&, const auto&) {
#pragma unroll
        for (const T& each : x) marks.see(looked_at(each));
      });
      merge_group(run.group, marks);
      if (special) deliver(marks);
    } else {
      if (special) deliver(exact_pair{0.0, lost_part()});
    }
  }

  // All of a run again, where a run of the warp is not finite or takes more than two windows. Out of line, like all
  // that takes registers from ordinary data.
  template <class Run, class Deliver>
  __device__ __noinline__ static void seldom(Run run, double plain, exponent_range<T> range, Deliver deliver) {
    const window_layout layout(range.top(), range.bottom(), log_of_count(run.rows()));
    const bool special = !range.finite(), in_windows = !special && !range.none() && layout.count > 1;
    deliver_specials(run, special, deliver);
    if constexpr (sizeof(T) <= 4) {
      if (run.group == 1 && run.place.most_rows <= most_rows_of_pair) {
        const exact_pair pair = pair_of(run);
        if (__all_sync(whole_warp, special || !pair.lost())) {
          if (!special) deliver(pair);
          return;
        }
      }
    }
    const int most = greatest_of_warp(in_windows ? layout.count : 1);
    if (!in_windows) run.place.rows = 0;
    const auto many = [&]<int Count>() {
      expansion<Count> sum = of_group<Count>(run, layout);
      if (!in_windows) sum.part[0] = plain;
      if (in_windows ? layout.count > Count || !layout.in_range(Count) : isinf(plain)) sum.lose();
      if (!special) deliver(sum);
    };
    if (most <= 3) many.template operator()<3>();
    else many.template operator()<most_windows>();
  }

  /// All of a run, by the lanes of its group; delivers a number, an exact_pair, an expansion or special_marks.
  template <class Run, class Deliver>
  __device__ static void whole(const op_type&, const Run& run, const Deliver& deliver) {
    first_look look = look_at(run);
    merge_group(run.group, look.range, look.sum);
    const double plain = look.sum;
    const exponent_range<T>& range = look.range;
    const int log_count = log_of_count(run.rows());
    if (__all_sync(whole_warp, range.fits(log_count))) return deliver(plain);
    const window_layout layout(range.top(), range.bottom(), log_count);
    const bool in_windows = !range.none() && !layout.one_is_enough(range.bottom());
    if (__any_sync(whole_warp, !range.finite() || (in_windows && !layout.two_are_enough(range.bottom()))))
      return seldom(run, plain, range, deliver);
    Run mine = run;
    if (!in_windows) mine.place.rows = 0;
    auto windows = run_sweeps::in_windows<2>(mine, layout);
    merge_group(run.group, windows.sum);
    exact_pair pair{plain, isinf(plain) ? lost_part() : 0.0};
    if (in_windows) pair = {windows.sum[0], layout.in_range(2) ? windows.sum[1] : lost_part()};
    deliver(pair);
  }

  // What a lane knows of its columns together.
  struct columns_look {
    whole_sums<most_columns, double> sum;
    exponent_range<T> range;
  };

  // One by one, where what they have in common takes more than two windows. Out of line, with the call in a loop.
  template <class Run, class Columns>
  __device__ __noinline__ static void each_alone(Run run, Columns columns) {
#pragma unroll 1
    for (int j = 0; j < most_columns; ++j) {
      whole(op_type{}, run.beside(columns.offset(j, run.place.span)), columns.column(j));
    }
  }

  template <class Run, class Columns>
  __device__ __forceinline__ static void in_shared_windows(const Run& run, const columns_look& look,
                                                           const Columns& columns) {
    const exponent_range<T>& range = look.range;
    const window_layout layout(range.top(), range.bottom(), log_of_count(run.rows()));
    const bool none = range.none(), two = layout.two_are_enough(range.bottom()) && layout.in_range(2);
    if (!__all_sync(whole_warp, none || (range.finite() && two))) return each_alone(run, columns);
    const window_sums<2> empty(layout);
    window_sums<2> windows[most_columns];
#pragma unroll
    for (auto& each : windows) each = empty;
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto&) {
#pragma unroll
      for (const auto& row : x) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) windows[j].add(to_double(row[j]));
      }
    });
    whole_sums<most_columns, exact_pair> pairs;
#pragma unroll
    for (int j = 0; j < most_columns; ++j) {
      windows[j].close(layout);
      // The plain sum is -0 of nothing but -0.
      const double plain = look.sum.of[j];
      const bool zeros = none || __double_as_longlong(plain) == INT64_MIN;
      pairs.of[j] = {zeros ? plain : windows[j].sum[0], zeros ? 0.0 : windows[j].sum[1]};
    }
    columns(pairs);
  }
  template <class Run, class Columns>
  __device__ __noinline__ static void seldom_in_windows(Run run, columns_look look, Columns columns) {
    in_shared_windows(run, look, columns);
  }

  /// Columns of a lane share the range of their exponents, and windows that are as many as that asks for.
  template <class Run, class Columns>
  __device__ static void whole_columns(const op_type&, const Run& run, const Columns& columns) {
    columns_look look;
    magnitude_scan<T> scan;
#pragma unroll
    for (double& each : look.sum.of) each = -0.0;
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto&) {
#pragma unroll
      for (const auto& row : x) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) {
          scan.see(looked_at(row[j]));
          look.sum.of[j] += to_double(row[j]);
        }
      }
    });
    look.range = exponent_range<T>(scan);
    // Two doubles are hardly ever one together.
    if constexpr (sizeof(T) == 8) return in_shared_windows(run, look, columns);
    if (!__all_sync(whole_warp, look.range.fits(log_of_count(run.rows()))))
      return seldom_in_windows(run, look, columns);
    columns(look.sum);
  }

  /// A lane's elements of a run.
  template <class Run>
  __device__ static void add_open(const op_type&, accumulator& into, const Run& run) {
    const first_look look = look_at(run);
    const exponent_range<T>& range = look.range;
    const window_layout layout(range.top(), range.bottom(), log_of_count(run.share()));
    const auto many = [&]<int Count>() {
      if (!layout.in_range(Count)) return into.lose();
      const auto windows = in_windows<Count>(run, layout);
      into.grow(windows.sum[0]);  // a zero, too: not all elements are -0
#pragma unroll
      for (int k = 1; k < Count; ++k) {
        if (windows.sum[k] != 0) into.grow(windows.sum[k]);
      }
    };
    if (!range.finite()) into.lose();
    else if (isinf(look.sum)) into.lose();
    else if (range.none() || layout.count == 1) into.grow(look.sum);
    else if (layout.count == 2) many.template operator()<2>();
    else if (layout.count <= most_windows) many.template operator()<most_windows>();
    else into.lose();
  }

  /// The sum of the lanes that share a row. Out of line: it is done once a row.
  __device__ __noinline__ static accumulator merge_row(group_slots& slots, int group, accumulator sum) {
    merge_expansions(slots, group, sum);
    return sum;
  }

  __device__ static accumulator accumulator_of(double sum) {
    accumulator a{};
    a.part[0] = sum;
    return a;
  }
  __device__ static accumulator accumulator_of(const exact_pair& sum) {
    accumulator a{};
    a.part[0] = sum.high;
    a.part[1] = sum.low;
    if (sum.lost()) a.lose();
    return a;
  }
  __device__ static accumulator accumulator_of(special_marks) {
    accumulator a{};
    a.lose();
    return a;
  }
  template <int Count>
  __device__ static accumulator accumulator_of(const expansion<Count>& sum) {
    accumulator a{};
    a.part[0] = sum.part[0];
#pragma unroll
    for (int k = 1; k < Count; ++k) {
      if (sum.part[k] != 0) a.grow(sum.part[k]);
    }
    return a;
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
