// Moments of several columns of a thread that has their whole runs, of floating point: sums of f16 in its windows,
// and else plain sums, where these are exact. See docs/exact-sums.md, 14.
#pragma once

#include "device/moments/tiles/run_moments.cuh"

namespace multifold::inline v0_1::cuda::kernels {

template <floating_storage T, moment_set Set>
struct column_moments {
  using sweeps = run_sweeps<moments::moment_fold<T, Set>>;
  using op_type = typename sweeps::op_type;
  static constexpr int most_columns = sweeps::most_columns;
  static constexpr bool two = sweeps::two, joint = sweeps::joint, halves = sweeps::halves;
  static constexpr bool sums = sweeps::sums, multiplies = sweeps::multiplies;
  static_assert(halves || sweeps::looks_at_sums);

  /// Of a column; the products of f16 are in two windows.
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

  /// Whether these are the sums of all columns that a lane has.
  template <class Run, class Columns>
  __device__ __forceinline__ static bool look_at(const Run& run, const Columns& columns, all_sums& sum) {
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
    typename sweeps::first_look look;
    look.of_x = typename sweeps::range_type(of_x);
    look.of_y = typename sweeps::range_type(of_y);
    const typename sweeps::layouts by(look, run.rows());
    return look.finite() && by.template fit<1, 1>();
  }

  /// The same of f16, of which infinities and NaN leave a NaN; windows do not keep the sign of zeros.
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

  // One by one. Out of line, with the call in a loop: ordinary data want the registers.
  template <class Run, class Columns>
  __device__ __noinline__ static void each_alone(Run run, Columns columns) {
#pragma unroll 1
    for (int j = 0; j < most_columns; ++j) {
      sweeps::whole(op_type{}, run.beside(columns.offset(j, run.place.span)), columns.column(j));
    }
  }

  template <class Run, class Columns>
  __device__ static void whole(const Run& run, const Columns& columns) {
    all_sums sum;
    bool known;
    if constexpr (halves) known = sums_of_halves(run, columns, sum);
    else known = look_at(run, columns, sum);
    if (!__all_sync(whole_warp, known)) return each_alone(run, columns);
    columns(sum);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
