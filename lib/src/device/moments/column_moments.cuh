// Moments of several columns of a thread that has their whole runs, of floating point: sums of binary16 in its windows,
// and else plain sums, where these are exact, or two windows that all columns have alike. See docs/exact-sums.md, 14.
#pragma once

#include "device/moments/run_moments.cuh"

namespace multifold::cuda::kernels {

template <floating_storage T, moment_set Set>
struct column_moments {
  using sweeps = run_sweeps<moments::moment_fold<T, Set>>;
  using op_type = typename sweeps::op_type;
  using first_look = typename sweeps::first_look;
  static constexpr int most_columns = sweeps::most_columns;
  static constexpr bool two = sweeps::two, joint = sweeps::joint, halves = sweeps::halves;
  static constexpr bool sums = sweeps::sums, multiplies = sweeps::multiplies;
  static_assert(halves || sweeps::looks_at_sums);

  /// Of a column; the products of binary16 are in two windows.
  struct column_sums {
    using element = T;
    double x = -0.0, y = -0.0, products[halves ? 2 : 1] = {-0.0};

    __device__ moments::near_totals totals() const {
      moments::near_totals all;
      if constexpr (sums) all.x.high = x;
      if constexpr (joint) all.y.high = y;
      if constexpr (multiplies) all.products = sweeps::near_of_windows(products);
      if constexpr (Set == moment_set::products) all.minus_products = sweeps::is_negative_zero(products[0]);
      if constexpr (halves) {
        double sum = 0.0;
        if constexpr (sums) sum += x;
        if constexpr (joint) sum += y;
        if constexpr (multiplies) sum += all.products.high + all.products.low;
        all.lost = sum - sum != 0;
      }
      return all;
    }
  };
  using all_sums = whole_sums<most_columns, column_sums>;

  /// Whether these are the sums of all columns that a lane has, at which it has looked together.
  template <class Run, class Columns>
  __device__ __forceinline__ static bool look_at(const Run& run, const Columns& columns, all_sums& sum,
                                                 first_look& look) {
    magnitude_scan<T> of_x, of_y;
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto& y) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) {
          const T u = x[k][j], v = y[k][j];
          of_x.see(looked_at(u));
          if constexpr (two) of_y.see(looked_at(v));
          if constexpr (sums) sum.of[j].x += sweeps::taken(u);
          if constexpr (joint) sum.of[j].y += to_double(v);
          if constexpr (sweeps::by_floats) sum.of[j].products[0] += sweeps::float_product(u, v);
          else if constexpr (multiplies) sum.of[j].products[0] = fma(to_double(u), to_double(v), sum.of[j].products[0]);
        }
      }
    });
    look.of_x = typename sweeps::range_type(of_x);
    look.of_y = typename sweeps::range_type(of_y);
    const typename sweeps::layouts by(look, run.rows());
    return look.finite() && by.template fit<1, 1>();
  }

  /// The same of binary16, of which infinities and NaN leave a NaN; windows do not keep the sign of zeros.
  template <class Run, class Columns>
  __device__ __forceinline__ static bool sums_of_halves(const Run& run, const Columns& columns, all_sums& sum) {
    using half_sums = typename sweeps::half_sums;
    static_assert(most_run_share <= half_windows::most);
    const typename sweeps::layouts by(half_windows::of_elements(), half_windows::of_products());
    half_sums all[most_columns];
#pragma unroll
    for (half_sums& each : all) each = half_sums(by);
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto& y) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) all[j].add(x[k][j], y[k][j], true);
      }
    });
    bool signs = true;
#pragma unroll
    for (int j = 0; j < most_columns; ++j) {
      all[j].close(by);
      if constexpr (sums) sum.of[j].x = all[j].x.sum[0];
      if constexpr (joint) sum.of[j].y = all[j].y.sum[0];
      if constexpr (!multiplies) continue;
      sum.of[j].products[0] = all[j].products.sum[0];
      sum.of[j].products[1] = all[j].products.sum[1];
      if constexpr (Set == moment_set::products)
        signs = signs && (run.rows() == 0 || sum.of[j].products[0] != 0 || sum.of[j].products[1] != 0);
    }
    return signs;
  }

  // Those of `which`, a bit each, one by one. Out of line, with the call in a loop: ordinary data want the registers.
  template <class Run, class Columns>
  __device__ __noinline__ static void each_alone(Run run, Columns columns, unsigned which) {
    const int rows = run.place.rows;
#pragma unroll 1
    for (int j = 0; j < most_columns; ++j) {
      const bool wanted = (which >> j & 1u) != 0;
      if (!__any_sync(whole_warp, wanted)) continue;
      run.place.rows = wanted ? rows : 0;
      auto to = columns.column(j);
      to.leaves = to.leaves && wanted;
      sweeps::whole(op_type{}, run.beside(columns.offset(j, run.place.span)), to);
    }
  }

  // All columns in two windows, whose layouts are those of all. Out of line, likewise.
  template <class Run, class Columns>
  __device__ __noinline__ static void each_in_windows(Run run, Columns columns, first_look look) {
    using windows_type = typename sweeps::template all_windows<2, 2>;
    const typename sweeps::layouts by(look, run.rows());
    const typename sweeps::window_errors off(by, look, run, 1);
    windows_type all[most_columns];
#pragma unroll
    for (windows_type& each : all) each = windows_type(by);
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto& y) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) all[j].add(x[k][j], y[k][j], true);
      }
    });
#pragma unroll
    for (windows_type& each : all) each.close(by);
    unsigned left = 0;
#pragma unroll 1
    for (int j = 0; j < most_columns; ++j) {
      windows_type mine = all[0];
#pragma unroll
      for (int k = 1; k < most_columns; ++k) {
        if (k == j) mine = all[k];
      }
      moments::near_totals totals;
      sweeps::put(totals, look, mine, off);
      const bool zero = totals.products.high == 0 && totals.products.low == 0;  // of which sign?
      if (!sweeps::is_close(totals, run.rows()) || (Set == moment_set::products && zero)) left |= 1u << j;
      else columns.column(j)(totals);
    }
    if (__any_sync(whole_warp, left != 0)) each_alone(run, columns, left);
  }

  template <class Run, class Columns>
  __device__ static void whole(const Run& run, const Columns& columns) {
    all_sums sum;
    first_look look;
    bool known;
    if constexpr (halves) known = sums_of_halves(run, columns, sum);
    else known = look_at(run, columns, sum, look);
    if (__all_sync(whole_warp, known)) return columns(sum);
    if constexpr (halves) return each_alone(run, columns, ~0u);
    else if (__all_sync(whole_warp, look.finite())) each_in_windows(run, columns, look);
    else each_alone(run, columns, ~0u);
  }
};

}  // namespace multifold::cuda::kernels
