// Moments of the runs of a tile, of floating point: a first look at exponents and plain sums, and a second one in as
// many windows as those ask for. See docs/exact-sums.md, 14.
#pragma once

#include "device/exact/run_sums.cuh"
#include "device/moments/tile_fold.cuh"

namespace multifold::cuda::moments {

using multifold::detail::near_value;

/// The moments of a whole batch as they are rounded: exact, or within an error.
struct near_totals {
  near_value x{}, y{}, products{};
  bool minus_x = false, minus_products = false;  // a zero that is -0
  bool lost = false;
  int up = 0;  // x y and the products are 2^-up of what they stand for
  multifold::detail::partial_marks marks;
};

/// A binary64 or the sum of two, and the sum of many.
__device__ inline near_value near_of_parts(double high, double low) {
  const multifold::detail::two_sum tight = multifold::detail::add_exactly(high, low);
  return {tight.sum, tight.error, 0.0};
}
template <int Count>
__device__ near_value near_of_parts(const double (&part)[Count]) {
  expansion<Count> sum;
#pragma unroll
  for (int k = 0; k < Count; ++k) sum.part[k] = part[k];
  return multifold::detail::near_of(sum);
}

}  // namespace multifold::cuda::moments

namespace multifold::cuda::kernels {

template <floating_storage T, moment_set Set>
struct run_sweeps<moments::moment_fold<T, Set>> {
  static constexpr bool any = true, hands_on = false;
  using op_type = moments::moment_fold<T, Set>;
  using accumulator = typename op_type::accumulator;
  using range_type = exponent_range<T>;
  static constexpr bool wide = sizeof(T) == 8, two = reads_two_arrays(Set), joint = Set == moment_set::joint;
  static constexpr bool sums = sums_elements(Set), multiplies = sums_products(Set);
  // Products of 2 bytes may fit a binary64 all together, and only those of two arrays can be -0.
  static constexpr bool plain_products = multiplies && (two || sizeof(T) == 2);
  // Windows of products: what ordinary data take, what wild data take, and what any take.
  static constexpr int few = wide ? 3 : 2, more = wide ? 6 : 4, most = 12, most_of_sums = 8;

  struct first_look {
    double x = -0.0, y = -0.0, products = -0.0;
    range_type of_x, of_y;
    std::conditional_t<Set == moment_set::description, moments::run_marks<T>, multifold::detail::nothing<0>> marks;

    __device__ const range_type& second() const { return two ? of_y : of_x; }
    __device__ bool finite() const { return of_x.finite() && (!two || of_y.finite()); }
    __device__ bool no_products() const { return of_x.none() || (two && of_y.none()); }
    __device__ window_layout products_of(int count) const {
      return {of_x.top() + second().top(), of_x.bottom() + second().bottom(), log_of_count(wide ? 2 * count : count)};
    }
    /// Whether binary64 numbers hold them.
    __device__ bool products_are_exact() const {
      return !wide || no_products() || of_x.bottom() + second().bottom() >= -1074;
    }
  };

  __device__ static double taken(T x) { return Set == moment_set::absolute ? fabs(to_double(x)) : to_double(x); }

  template <class Run>
  __device__ static first_look look_at(const Run& run) {
    first_look look;
    double x_sum[2] = {-0.0, -0.0}, y_sum[2] = {-0.0, -0.0}, products[2] = {-0.0, -0.0};
    magnitude_scan<T> of_x, of_y;
    run.each([&](const auto& x, const auto& y, const auto& here, const auto& number) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        of_x.see(looked_at(x[k]));
        if constexpr (two) of_y.see(looked_at(y[k]));
        if constexpr (sums) x_sum[k % 2] += here[k] ? taken(x[k]) : -0.0;
        if constexpr (joint) y_sum[k % 2] += here[k] ? to_double(y[k]) : -0.0;
        if constexpr (plain_products) {
          const double product = to_double(x[k]) * to_double(y[k]);
          products[k % 2] += here[k] ? product : -0.0;
        }
        if constexpr (Set == moment_set::description) {
          if (here[k]) look.marks.see(x[k], number[k]);
        }
      }
    });
    look.x = x_sum[0] + x_sum[1];
    look.y = y_sum[0] + y_sum[1];
    look.products = products[0] + products[1];
    look.of_x = range_type(of_x);
    look.of_y = range_type(of_y);
    return look;
  }

  template <class Run>
  __device__ static void merge_look(first_look& look, const Run& run) {
    merge_group(look.of_x, run.group);
    if constexpr (two) merge_group(look.of_y, run.group);
    double plain[3] = {look.x, look.y, look.products};
    for_each_mask(run.group, [&](int mask) {
      if constexpr (sums) plain[0] += __shfl_xor_sync(whole_warp, plain[0], mask);
      if constexpr (joint) plain[1] += __shfl_xor_sync(whole_warp, plain[1], mask);
      if constexpr (plain_products) plain[2] += __shfl_xor_sync(whole_warp, plain[2], mask);
      if constexpr (Set == moment_set::description) {
        look.marks.least.merge(shuffle_xor(look.marks.least, mask));
        look.marks.greatest.merge(shuffle_xor(look.marks.greatest, mask));
        look.marks.zeros += __shfl_xor_sync(whole_warp, look.marks.zeros, mask);
      }
    });
    look.x = plain[0];
    look.y = plain[1];
    look.products = plain[2];
  }

  /// Elements of one array, or their products, in windows.
  enum class what { x, y, products };
  template <what What, int Count, bool Slowly, class Run>
  __device__ static window_sums<Count> in_windows(const Run& run, const window_layout& layout) {
    window_sums<Count> windows(layout);
    const auto add = [&](const auto& x, const auto& y, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        if constexpr (What == what::products) {
          using carrier = carrier_of<T>;
          windows.add_product(here[k] ? carried(x[k]) : carrier{0}, carried(y[k]));
        } else {
          windows.add(here[k] ? (What == what::x ? taken(x[k]) : to_double(y[k])) : 0.0);
        }
      }
    };
    if constexpr (Slowly) run.each_slowly(add);
    else run.each(add);
    windows.close(layout);
    return windows;
  }

  // The sum over a group, whose plain sum is exact where one window is enough.
  template <what What, int Few, int More, int Most, class Run>
  __device__ static moments::near_value near_sum(const Run& run, const window_layout& layout, bool none, double plain,
                                                 bool& lost) {
    const bool windows = !lost && !none && layout.count > 1;
    const int wanted = greatest_of_warp(windows ? layout.count : 1);
    moments::near_value sum{plain, 0.0, 0.0};
    if (wanted == 1) return sum;
    Run mine = run;
    if (!windows) mine.place.rows = 0;
    const auto with = [&]<int Count>() {
      auto found = in_windows<What, Count, (Count > Few)>(mine, layout);
      merge_group(found.sum, run.group);
      if (!windows) return;
      if (layout.count > Count || !layout.in_range(Count)) lost = true;
      if constexpr (Count == 2) sum = moments::near_of_parts(found.sum[0], found.sum[1]);
      else sum = moments::near_of_parts(found.sum);
    };
    if (wanted <= Few) with.template operator()<Few>();
    else if (wanted <= More) with.template operator()<More>();
    else with.template operator()<Most>();
    return sum;
  }

  template <class Run, class Deliver>
  __device__ static void whole(const op_type&, const Run& run, const Deliver& deliver) {
    first_look look = look_at(run);
    merge_look(look, run);
    moments::near_totals totals;
    totals.lost = !look.finite() || (multiplies && !look.products_are_exact());
    const int log_count = log_of_count(run.rows());
    const auto layout_of = [&](const range_type& range) {
      return window_layout(range.top(), range.bottom(), log_count);
    };
    if constexpr (sums) {
      totals.x =
          near_sum<what::x, 2, 3, most_of_sums>(run, layout_of(look.of_x), look.of_x.none(), look.x, totals.lost);
      totals.minus_x = is_negative_zero(look.x);
    }
    if constexpr (joint) {
      totals.y =
          near_sum<what::y, 2, 3, most_of_sums>(run, layout_of(look.of_y), look.of_y.none(), look.y, totals.lost);
    }
    if constexpr (multiplies) {
      window_layout layout = look.products_of(run.rows());
      if (!plain_products || sizeof(T) > 2) layout.count = max(layout.count, 2);
      const double plain = plain_products ? look.products : 0.0;
      totals.products = near_sum<what::products, few, more, most>(run, layout, look.no_products(), plain, totals.lost);
      totals.minus_products = two && is_negative_zero(look.products);
    }
    if constexpr (Set == moment_set::description) totals.marks = look.marks.marks(run.place.index);
    deliver(totals);
  }

  /// A lane's elements of a run.
  template <class Run>
  __device__ static void add_piece(const op_type&, accumulator& into, const Run& run) {
    const first_look look = look_at(run);
    const int share = run.share();
    bool lost = !look.finite() || (multiplies && !look.products_are_exact());
    const auto add = [&]<what What, int Few, int Most>(auto& sum, const window_layout& layout, bool none,
                                                       double plain) {
      if (lost) return;
      if (none || layout.count == 1) return sum.add(plain);
      const auto with = [&]<int Count>() {
        if (!layout.in_range(Count) || layout.count > Count) return void(lost = true);
        const auto found = in_windows<What, Count, (Count > Few)>(run, layout);
#pragma unroll
        for (const double each : found.sum) {
          if (each != 0) sum.add(each);
        }
        if (found.sum[0] == 0) sum.add(0.0);  // not all elements are -0
      };
      if (layout.count <= Few) with.template operator()<Few>();
      else with.template operator()<Most>();
    };
    const auto layout_of = [&](const range_type& range) {
      return window_layout(range.top(), range.bottom(), log_of_count(share));
    };
    if constexpr (sums) add.template operator()<what::x, 2, 4>(into.x, layout_of(look.of_x), look.of_x.none(), look.x);
    if constexpr (joint) add.template operator()<what::y, 2, 4>(into.y, layout_of(look.of_y), look.of_y.none(), look.y);
    if constexpr (multiplies) {
      window_layout layout = look.products_of(share);
      if (!plain_products || sizeof(T) > 2) layout.count = max(layout.count, 2);
      const double plain = plain_products ? look.products : 0.0;
      add.template operator()<what::products, few, more>(into.products, layout, look.no_products(), plain);
    }
    if constexpr (Set == moment_set::description) into.marks.merge(look.marks.marks(run.place.index));
    if (!lost) return;
    if constexpr (multiplies) into.products.lose();
    else into.x.lose();
  }

 private:
  __device__ static bool is_negative_zero(double x) { return __double_as_longlong(x) == INT64_MIN; }
};

}  // namespace multifold::cuda::kernels
