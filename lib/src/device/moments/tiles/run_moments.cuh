// Moments of the runs of a tile, of floating point: a first look at exponents, and a second one that has all sums in
// two windows, which are exact, or off by a bound from which the result is known all the same. f16 takes no first
// look. See docs/exact-sums.md, 14.
#pragma once

#include "device/moments/tiles/open_run_moments.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Of several columns of a thread (column_moments.cuh).
template <floating_storage T, moment_set Set>
struct column_moments;

template <floating_storage T, moment_set Set>
struct run_sweeps<moments::moment_fold<T, Set>> : open_run_moments<T, Set> {
  using base = moment_windows<T, Set>;
  using base::at_exact_level, base::exact_level_of, base::is_close, base::is_negative_zero, base::level_of,
      base::look_at, base::merge_looks, base::add_plainly, base::near_of_windows, base::put, base::sums_of_halves,
      base::with_marks;
  using base::describes, base::halves, base::joint, base::looks_at_sums, base::multiplies, base::sums, base::two,
      base::wide;
  using base::few, base::few_sums, base::in_few, base::least_ascending, base::plainly;
  using typename base::first_look;
  using typename base::half_sums;
  using typename base::layouts;
  using typename base::op_type;
  using typename base::what;
  using typename base::window_errors;
  static constexpr bool any = true, hands_on = false;
  static constexpr int most_columns = most_moment_columns(sizeof(T), Set);
  using whole_sum = moments::near_totals;

  // The sums of a run whose lanes have looked at it.
  template <class Run>
  __device__ static void add_windows(moments::near_totals& totals, const first_look& look, const Run& run) {
    totals.x.high = look.x;
    totals.y.high = look.y;
    totals.products.high = look.products;
    totals.lost = !look.finite();
    const layouts by(look, run.rows());
    const int level = totals.lost ? plainly : level_of(by), wanted = greatest_of_warp(level);
    if (wanted == plainly) return;
    Run mine = run;
    if (level == plainly) mine.place.rows = 0;
    const bool far = level != plainly && look.far();
    if constexpr (!wide) {
      if (wanted == in_few) {
        auto found = base::template in_windows<few_sums, few, false, what::all>(mine, by);
        found.merge(run.group);
        if (level != plainly) put(totals, look, found, {});
        return;
      }
    }
    if (wide && __any_sync(whole_warp, far)) {
      const moments::near_totals found = brought_near(look, mine, far);
      if (level != plainly) totals = found;
    } else {
      auto found = base::template in_windows<2, 2, false, what::all>(mine, by);
      found.merge(run.group);
      if (level != plainly) put(totals, look, found, window_errors(by, look, run, run.group));
    }
    const bool again = level != plainly && !far && !is_close(totals, run.rows());
    if (!__any_sync(whole_warp, again)) return;
    mine.place.rows = again ? run.rows() : 0;
    const moments::near_totals found = taken_exactly(totals, look, mine);
    if (again) totals = found;
  }

  // The same of numbers that are taken times a power of two, if they are `far`. Out of line, as what ordinary data
  // hardly need.
  template <class Run>
  __device__ static __noinline__ moments::near_totals brought_near(first_look look, Run run, bool far) {
    moments::near_totals totals;
    if constexpr (wide) {
      const int x_up = look.up_of_x(), y_up = look.up_of_y();
      const double x_unit = multifold::detail::power_of_two(-x_up), y_unit = multifold::detail::power_of_two(-y_up);
      totals.up = x_up;
      if (multiplies) totals.up += y_up;
      if (Set == moment_set::products) totals.up = far && !look.no_products() ? look.product_top() : 0;
      const layouts by(look, run.rows(), x_up, y_up, totals.up);
      typename base::template all_windows<2, 2> found(by);
      run.each_slowly([&](const auto& x, const auto& y, const auto& here, const auto&) {
#pragma unroll
        for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
          const double u = here[k] ? x[k] : -0.0, v = here[k] ? y[k] : -0.0;
          if constexpr (sums) found.x.add(base::taken(u * x_unit));
          if constexpr (joint) found.y.add(v * y_unit);
          if constexpr (two) {
            const multifold::detail::near_factors factors = multifold::detail::factors_near(u, v, totals.up);
            multifold::detail::add_product_roughly(found.products, factors.x, factors.y);
          } else if constexpr (multiplies) {
            multifold::detail::add_product_roughly(found.products, u * x_unit, u * x_unit);
          }
        }
      });
      found.close(by);
      found.merge(run.group);
      window_errors off(by, look, run, run.group);
      const bool x_underflows = look.of_x.bottom() - x_up < -1074, y_underflows = look.second().bottom() - y_up < -1074;
      if (x_underflows) off.x += multifold::detail::underflow_error;
      if (y_underflows) off.y += multifold::detail::underflow_error;
      if (two || x_underflows) off.products += multifold::detail::underflow_error;
      put(totals, look, found, off);
      if (joint && !look.no_products() && multifold::detail::is_small_product(look.product_top() - totals.up))
        totals.products = multifold::detail::small_products();
    }
    return totals;
  }

  // The same in as many windows as it takes, if the most that there are hold it. Out of line, likewise.
  template <class Run>
  __device__ static __noinline__ moments::near_totals taken_exactly(moments::near_totals totals, first_look look,
                                                                    Run run) {
    const layouts by(look, run.rows());
    const bool holds = run.rows() > 0 && (!multiplies || look.products_are_exact());
    const int level = holds ? exact_level_of(by) : 0;
    const window_errors none{};
    at_exact_level(greatest_of_warp(level), [&]<int Sums, int Products, what What>() {
      auto found = base::template in_windows<Sums, Products, true, What>(run, by);
      found.merge(run.group);
      if (holds && by.template in_range<Sums, Products>(look)) put(totals, look, found, none);
    });
    return totals;
  }

  template <class Run>
  __device__ static void add_halves(moments::near_totals& totals, first_look& look, const Run& run) {
    half_sums all;
    with_marks(run, least_ascending, [&](auto& marks) {
      all = sums_of_halves(run, marks);
      if constexpr (describes) look.marks = moments::marks_of(marks, run);
    });
    if (run.place.most_rows <= half_windows::most) {
      all.merge(run.group, merged_if<describes>(look.marks));
      if constexpr (sums) totals.x.high = all.x.sum[0];
      if constexpr (joint) totals.y.high = all.y.sum[0];
      if constexpr (multiplies) totals.products = near_of_windows(all.products.sum);
    } else {
      // What lanes have may sum to a bit or two more than a double has.
      [[maybe_unused]] double x[2], y[2], products[3];
      if constexpr (sums) half_windows::part_elements(all.x.sum[0], x);
      if constexpr (joint) half_windows::part_elements(all.y.sum[0], y);
      if constexpr (multiplies) half_windows::part_products(all.products.sum, products);
      merge_group(run.group, merged_if<sums>(x), merged_if<joint>(y), merged_if<multiplies>(products),
                  merged_if<describes>(look.marks));
      if constexpr (sums) totals.x = near_of_windows(x);
      if constexpr (joint) totals.y = near_of_windows(y);
      if constexpr (multiplies) totals.products = near_of_windows(products);
    }
    double sum = 0.0;
    if constexpr (sums) sum += totals.x.high + totals.x.low;
    if constexpr (joint) sum += totals.y.high + totals.y.low;
    if constexpr (multiplies) sum += totals.products.high + totals.products.low;
    totals.lost = sum - sum != 0;
  }

  template <class Run, class Deliver>
  __device__ static void whole(const op_type&, const Run& run, const Deliver& deliver) {
    moments::near_totals totals;
    first_look look;
    if constexpr (halves) {
      add_halves(totals, look, run);
    } else {
      with_marks(run, least_ascending, [&](auto& marks) {
        look = look_at(run, marks);
        if constexpr (describes) look.marks = moments::marks_of(marks, run);
      });
      merge_looks(look, run.group);
      add_windows(totals, look, run);
    }
    if constexpr (describes) {
      totals.marks = look.marks.marks(run.place.index);
      totals.minus_x = look.marks.only_negative_zeros();
    }
    if constexpr (Set == moment_set::products) {
      if constexpr (!looks_at_sums) {
        const bool zero = !totals.lost && totals.products.high == 0 && totals.products.low == 0;
        if (__any_sync(whole_warp, zero)) {
          Run mine = run;
          if (!zero) mine.place.rows = 0;
          add_plainly(look, mine);
          merge_group(run.group, look.products);
        }
      }
      totals.minus_products = is_negative_zero(look.products);
    }
    deliver(totals);
  }

  template <class Run, class Columns>
  __device__ static void whole_columns(const op_type&, const Run& run, const Columns& columns) {
    column_moments<T, Set>::whole(run, columns);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
