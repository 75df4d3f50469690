// Open runs of a tile, of floating point: what a lane has of one goes to its accumulator, expansions that say what
// they are off by. See docs/exact-sums.md, 6 and 14.
#pragma once

#include "device/exact/merged_expansions.cuh"
#include "device/moments/windows/moment_windows.cuh"

namespace multifold::inline v0_1::cuda::kernels {

template <floating_storage T, moment_set Set>
struct open_run_moments : moment_windows<T, Set> {
  using base = moment_windows<T, Set>;
  using base::add_plainly, base::are_finite, base::exact_level_of, base::is_negative_zero, base::level_of,
      base::look_at, base::sums_of_halves, base::with_marks;
  using base::describes, base::halves, base::joint, base::looks_at_sums, base::multiplies, base::sums, base::two,
      base::wide;
  using base::exactly_in_few, base::few, base::few_sums, base::in_few, base::least_ascending_open, base::more,
      base::more_sums, base::plainly;
  using typename base::accumulator;
  using typename base::first_look;
  using typename base::half_sums;
  using typename base::layouts;
  using typename base::op_type;
  using typename base::what;
  using typename base::window_errors;
  template <int Sums, int Products>
  using all_windows = typename base::template all_windows<Sums, Products>;

  // A number to one of an accumulator's sums, of which part `First` is the first that it may change, if that is of its
  // size or smaller.
  template <int First = 0, int Parts>
  __device__ static void add_to(accumulator& into, expansion<Parts>& sum, int which, double x) {
    if constexpr (accumulator::has_errors) into.errors.add(which, multifold::detail::add_roughly<First>(sum, x));
    else sum.template add<First>(x);
  }
  // A lane's sums, to its accumulator; those of nothing but zeros with their sign. Of ordinary data, window k has no
  // business before part k.
  template <int Window, int Parts, int Count>
  __device__ static void add_behind(accumulator& into, expansion<Parts>& sum, int which, const double (&part)[Count]) {
    if (part[Window] != 0) add_to<(Count < Parts ? Window : 0)>(into, sum, which, part[Window]);
    if constexpr (Window + 1 < Count) add_behind<Window + 1>(into, sum, which, part);
  }
  template <int Parts, int Count>
  __device__ static void add_parts(accumulator& into, expansion<Parts>& sum, int which, const double (&part)[Count],
                                   double zero) {
    if constexpr (Count == 1) return add_to(into, sum, which, part[0]);
    add_to(into, sum, which, part[0] != 0 ? part[0] : zero);
    if constexpr (Count > 1) add_behind<1>(into, sum, which, part);
  }
  template <int Sums, int Products, class Run>
  __device__ static void add_all(accumulator& into, first_look& look, const all_windows<Sums, Products>& all,
                                 const Run& run) {
    using windows_type = all_windows<Sums, Products>;
    bool zeros = sums && Sums > 1 && (look.of_x.none() || (joint && look.of_y.none()));
    if constexpr (two) {
      zeros = true;
#pragma unroll
      for (const double each : all.products.sum) zeros = zeros && each == 0;
    }
    if constexpr (!looks_at_sums) {
      if (zeros) add_plainly(look, run);
    }
    using multifold::detail::error_of_products;
    using multifold::detail::error_of_x;
    using multifold::detail::error_of_y;
    if constexpr (windows_type::with_x) add_parts(into, into.x, error_of_x, all.x.sum, look.of_x.none() ? look.x : 0.0);
    else if constexpr (sums) add_to(into, into.x, error_of_x, look.x);
    if constexpr (windows_type::with_y) add_parts(into, into.y, error_of_y, all.y.sum, look.of_y.none() ? look.y : 0.0);
    else if constexpr (joint) add_to(into, into.y, error_of_y, look.y);
    if constexpr (multiplies)
      add_parts(into, into.products, error_of_products, all.products.sum,
                two && zeros && is_negative_zero(look.products) ? -0.0 : 0.0);
  }
  __device__ static void lose(accumulator& into) {
    if constexpr (multiplies) into.products.lose();
    else into.x.lose();
  }

  /// A lane's elements of a run.
  template <class Run>
  __device__ static void add_open(const op_type& op, accumulator& into, const Run& run) {
    first_look look;
    std::conditional_t<halves, half_sums, multifold::detail::nothing<0>> of_halves;
    with_marks(run, least_ascending_open, [&](auto& marks) {
      if constexpr (halves) of_halves = sums_of_halves(run, marks);
      else look = look_at(run, marks);
      if constexpr (describes) moments::merge_marks(into.marks, marks, run);
    });
    if constexpr (halves) {
      if (!are_finite(of_halves)) return lose(into);
      add_all(into, look, of_halves, run);
    } else {
      if (!look.finite()) return lose(into);
      const layouts by(look, run.share());
      const int level = level_of(by);
      if (level == plainly) {
        if constexpr (sums) add_to(into, into.x, multifold::detail::error_of_x, look.x);
        if constexpr (joint) add_to(into, into.y, multifold::detail::error_of_y, look.y);
        if constexpr (multiplies) add_to(into, into.products, multifold::detail::error_of_products, look.products);
      } else if (accumulator::has_errors && !op.exact) {
        if (look.far()) return lose(into);
        if constexpr (accumulator::has_errors) {
          if (!wide && level == in_few) {
            add_all(into, look, base::template in_windows<few_sums, few, false, what::all>(run, by), run);
          } else {
            const window_errors off(by, look, run, 1);
            add_all(into, look, base::template in_windows<2, 2, false, what::all>(run, by), run);
            if constexpr (sums) into.errors.add(multifold::detail::error_of_x, off.x);
            if constexpr (joint) into.errors.add(multifold::detail::error_of_y, off.y);
            if constexpr (multiplies) into.errors.add(multifold::detail::error_of_products, off.products);
          }
        }
      } else {
        const bool in_few_exactly = exact_level_of(by) == exactly_in_few;
        if constexpr (!wide) {
          if (in_few_exactly) {
            add_all(into, look, base::template in_windows<few_sums, few, false, what::all>(run, by), run);
            return;
          }
        }
        const accumulator copy = into;
        into = out_of_line(copy, look, run, in_few_exactly);
      }
    }
  }
  // Out of line, with a copy of the accumulator, so that the loops around have theirs in registers.
  template <class Run>
  __device__ static __noinline__ accumulator out_of_line(accumulator into, first_look look, Run run, bool few_do) {
    const layouts by(look, run.share());
    const auto with = [&]<int Sums, int Products>() {
      if (!by.template in_range<Sums, Products>(look)) return lose(into);
      add_all(into, look, base::template in_windows<Sums, Products, true, what::all>(run, by), run);
    };
    if (multiplies && !look.products_are_exact()) lose(into);
    else if (few_do) with.template operator()<few_sums, few>();
    else with.template operator()<more_sums, more>();
    return into;
  }

  // What lanes have is wider together than one of them, until it is rounded.
  template <int Parts>
  __device__ static auto widened(const expansion<Parts>& sum) {
    expansion<Parts + (accumulator::has_errors ? 2 : 0)> wider;
#pragma unroll
    for (int k = 0; k < Parts; ++k) wider.part[k] = sum.part[k];
    if (sum.lost()) wider.lose();
    return wider;
  }
  template <int Parts, int More>
  __device__ static void narrow_to(accumulator& into, expansion<Parts>& sum, int which, expansion<More> wider) {
    double rest = 0.0;
    if constexpr (accumulator::has_errors) {
      if (wider.part[1] != 0 || wider.lost()) {
#pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
#pragma unroll
          for (int i = More - 2; i >= 0; --i) {
            const multifold::detail::two_sum s = multifold::detail::add_exactly(wider.part[i], wider.part[i + 1]);
            wider.part[i] = s.sum;
            wider.part[i + 1] = s.error;
          }
        }
      }
#pragma unroll
      for (int k = Parts; k < More; ++k) rest += fabs(wider.part[k]);
      into.errors.add(which, rest);
    }
#pragma unroll
    for (int k = 0; k < Parts; ++k) sum.part[k] = wider.part[k];
  }

  /// The sums of the lanes that share a row. Out of line: it is done once a row.
  __device__ __noinline__ static accumulator merge_row(group_slots& slots, int group, accumulator all) {
    using multifold::detail::error_of_products;
    using multifold::detail::error_of_x;
    using multifold::detail::error_of_y;
    if constexpr (accumulator::has_errors) {
      double error[] = {all.errors[0], all.errors[1], all.errors[2]};
      merge_group(slots, group, error);
      all.errors = {};
#pragma unroll
      for (int i = 0; i < 3; ++i) all.errors.add(i, error[i]);
    }
    if constexpr (joint) {
      auto x = widened(all.x), y = widened(all.y);
      auto products = widened(all.products);
      merge_expansions(slots, group, x, y, products);
      narrow_to(all, all.x, error_of_x, x);
      narrow_to(all, all.y, error_of_y, y);
      narrow_to(all, all.products, error_of_products, products);
    } else if constexpr (sums && multiplies) {
      auto x = widened(all.x);
      auto products = widened(all.products);
      merge_expansions(slots, group, x, products);
      narrow_to(all, all.x, error_of_x, x);
      narrow_to(all, all.products, error_of_products, products);
    } else if constexpr (sums) {
      auto x = widened(all.x);
      merge_expansions(slots, group, x);
      narrow_to(all, all.x, error_of_x, x);
    } else {
      auto products = widened(all.products);
      merge_expansions(slots, group, products);
      narrow_to(all, all.products, error_of_products, products);
    }
    if constexpr (describes) {
      moments::marks_of_lane marks{all.marks};
      merge_group(slots, group, marks);
      all.marks = marks.all;
    }
    return all;
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
