// Sums of moments of floating point in windows, as the lanes of a tile gather them of a run: what a first look at it
// keeps, and how many windows that asks for. See docs/exact-sums.md, 14.
#pragma once

#include <climits>

#include "device/exact/run_sums.cuh"
#include "device/moments/ascending_marks.cuh"
#include "device/moments/near_totals.cuh"
#include "device/moments/tiles/fold.cuh"
#include "multifold/exact/near/near_windows.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// One double, as window_sums have several: for sums that are exact in it.
struct plain_window {
  double sum[1] = {-0.0};

  plain_window() = default;
  __device__ explicit plain_window(const window_layout&) {}
  __device__ void add(double x) { sum[0] += x; }
  __device__ void close(const window_layout&) {}
};

/// How great products of doubles are.
struct product_tops : multifold::detail::product_scan {};
__device__ inline void merge_with(product_tops& of, int mask) {
  of.greatest = max(of.greatest, __shfl_xor_sync(whole_warp, of.greatest, mask));
}

/// Whole runs are taken by run_moments.cuh, and others by open_run_moments.cuh.
template <floating_storage T, moment_set Set>
struct moment_windows {
  using op_type = moments::moment_fold<T, Set>;
  using accumulator = typename op_type::accumulator;
  using range_type = exponent_range<T>;
  static constexpr bool wide = sizeof(T) == 8, two = reads_two_arrays(Set), joint = Set == moment_set::joint;
  static constexpr bool sums = sums_elements(Set), multiplies = sums_products(Set);
  static constexpr bool describes = Set == moment_set::description;
  // Four roundings, a quotient and two roots are too much for one lane of a group while the others wait.
  static constexpr bool keeps = describes;
  static constexpr bool halves = std::is_same_v<T, f16>;
  // The first look adds up what often fits one double; products of more than 2 bytes hardly ever do.
  static constexpr bool looks_at_sums = !halves && (!multiplies || sizeof(T) == 2);
  // Products of 2 bytes fit a float, those of bf16 if exponents allow, and one conversion is less than two.
  static constexpr bool by_floats = Set == moment_set::products && sizeof(T) == 2;

  using marks_type = std::conditional_t<describes, moments::run_marks<T>, multifold::detail::nothing<0>>;

  struct first_look {
    double x = -0.0, y = -0.0, products = -0.0;
    range_type of_x, of_y;
    std::conditional_t<wide && two, product_tops, multifold::detail::nothing<1>> of_products;
    marks_type marks;

    __device__ const range_type& second() const { return two ? of_y : of_x; }
    __device__ bool finite() const { return of_x.finite() && (!two || of_y.finite()); }
    __device__ bool no_products() const {
      if constexpr (wide && two) return of_products.none();
      else return of_x.none() || (two && of_y.none());
    }
    /// Whether floats hold those of elements of 8 bits.
    __device__ bool float_products_are_exact() const {
      return no_products() || (of_x.top() + of_y.top() <= 128 && of_x.bottom() + of_y.bottom() >= -149);
    }
    /// Whether doubles hold them.
    __device__ bool products_are_exact() const {
      return !wide || no_products() || of_x.bottom() + second().bottom() >= -1074;
    }
    /// Whether they or their products could leave the range of near values.
    __device__ bool far() const {
      if constexpr (!wide) return false;
      if (two && !no_products() && product_top() < multifold::detail::least_near_product) return true;
      return up_of_x() != 0 || up_of_y() != 0;
    }
    /// Magnitudes of products are below 2^product_top().
    __device__ int product_top() const {
      if constexpr (wide && two) return of_products.top();
      else return of_x.top() + second().top();
    }
    __device__ int up_of_x() const { return of_x.none() ? 0 : multifold::detail::near_exponent(of_x.top()); }
    __device__ int up_of_y() const { return second().none() ? 0 : multifold::detail::near_exponent(second().top()); }
  };

  /// The windows of each sum, and how far behind the first unit its elements reach.
  struct layouts {
    window_layout x, y, products;
    int sum_reach = INT_MIN, product_reach = INT_MIN;

    __device__ layouts(const window_layout& of_x, const window_layout& of_products)
        : x(of_x), y(of_x), products(of_products) {}
    /// Of numbers that are taken times 2^-x_up and 2^-y_up.
    __device__ layouts(const first_look& look, int count, int x_up = 0, int y_up = 0, int products_up = 0)
        : x(look.of_x.top() - x_up, look.of_x.bottom() - x_up, log_of_count(count)),
          y(look.second().top() - y_up, look.second().bottom() - y_up, log_of_count(count)),
          products(look.no_products() ? 0 : look.product_top() - products_up, 0,
                   log_of_count(wide ? 2 * count : count)) {
      if (sums && !look.of_x.none()) sum_reach = x.reach(look.of_x.bottom() - x_up);
      if (joint && !look.of_y.none()) sum_reach = max(sum_reach, y.reach(look.of_y.bottom() - y_up));
      if (multiplies && !look.no_products())
        product_reach = products.reach(look.of_x.bottom() + look.second().bottom() - products_up);
      // Then windows have to do.
      if (by_floats && looks_at_sums && !look.float_products_are_exact())
        product_reach = max(product_reach, products.most_reach(1) + 1);
    }
    template <int Sums, int Products>
    __device__ bool fit() const {
      return (!sums || sum_reach <= x.most_reach(Sums)) &&
             (!multiplies || product_reach <= products.most_reach(Products));
    }
    template <int Sums, int Products>
    __device__ bool in_range(const first_look& look) const {
      bool all = fit<Sums, Products>();
      if (sums && Sums > 1 && !look.of_x.none()) all = all && x.in_range(Sums);
      if (joint && Sums > 1 && !look.of_y.none()) all = all && y.in_range(Sums);
      if (multiplies && !look.no_products()) all = all && products.in_range(Products);
      return all;
    }
  };

  __device__ static double taken(T x) { return Set == moment_set::absolute ? fabs(to_double(x)) : to_double(x); }

  __device__ static double float_product(T x, T y) { return static_cast<double>(to_float(x) * to_float(y)); }

  // Elements of a lane from which on it pays to look up where extremes stand: of a whole run, and of an open one,
  // whose extremes seldom count.
  static constexpr int least_ascending = 24, least_ascending_open = 8;
  template <class Run, class F>
  __device__ __forceinline__ static void with_marks(const Run& run, int least_of_lane, const F& f) {
    if constexpr (describes) {
      moments::with_marks<T>(run, least_of_lane, f);
    } else {
      marks_type none;
      f(none);
    }
  }

  // Everything but the marks, which go to `marks`.
  template <class Run, class Marks>
  __device__ __forceinline__ static first_look look_at(const Run& run, Marks& marks) {
    constexpr bool ranges = requires { marks.range(); };
    first_look look;
    double x_sum[2] = {-0.0, -0.0}, y_sum[2] = {-0.0, -0.0}, products[2] = {-0.0, -0.0};
    magnitude_scan<T> of_x, of_y;
    run.each([&](const auto& x, const auto& y, const auto& here, const auto& number) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        if constexpr (!ranges) of_x.see(looked_at(x[k]));
        if constexpr (two) of_y.see(looked_at(y[k]));
        if constexpr (wide && two) look.of_products.see(x[k], y[k]);
        if constexpr (looks_at_sums) {
          if constexpr (sums) x_sum[k % 2] += here[k] ? taken(x[k]) : -0.0;
          if constexpr (joint) y_sum[k % 2] += here[k] ? to_double(y[k]) : -0.0;
          if constexpr (by_floats) {
            products[k % 2] += here[k] ? float_product(x[k], y[k]) : -0.0;
          } else if constexpr (multiplies) {
            // Products of narrow formats are doubles: this rounds once, as a product and a sum would.
            const double sum = fma(to_double(x[k]), to_double(y[k]), products[k % 2]);
            products[k % 2] = here[k] ? sum : products[k % 2];
          }
        }
      }
      if constexpr (describes) marks.see(x, number);
    });
    look.x = x_sum[0] + x_sum[1];
    look.y = y_sum[0] + y_sum[1];
    look.products = products[0] + products[1];
    if constexpr (ranges) look.of_x = marks.range();
    else look.of_x = range_type(of_x);
    look.of_y = range_type(of_y);
    return look;
  }

  /// Over the lanes of a group, in one exchange.
  __device__ static void merge_looks(first_look& look, int group) {
    merge_group(group, look.of_x, merged_if<two>(look.of_y), merged_if < wide && two > (look.of_products),
                merged_if < looks_at_sums && sums > (look.x), merged_if < looks_at_sums && joint > (look.y),
                merged_if < looks_at_sums && multiplies > (look.products), merged_if<describes>(look.marks));
  }

  /// The plain sums, which say the sign of zeros where there is nothing else: windows do not keep it.
  template <class Run>
  __device__ static void add_plainly(first_look& look, const Run& run) {
    look.x = look.y = look.products = -0.0;
    run.each_slowly([&](const auto& x, const auto& y, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        const double u = to_double(x[k]), v = to_double(y[k]);
        if constexpr (sums) look.x += here[k] ? taken(x[k]) : -0.0;
        if constexpr (joint) look.y += here[k] ? v : -0.0;
        if constexpr (multiplies) look.products += here[k] ? u * v : -0.0;
      }
    });
  }

  template <int Count>
  using window = std::conditional_t<Count == 1, plain_window, window_sums<(Count > 1 ? Count : 2)>>;

  /// Sums of a set in windows: all of them, so that elements are read and converted once, or one of them.
  enum class what { all, x, y, products };
  template <int Sums, int Products, what What = what::all>
  struct all_windows {
    static constexpr bool all = What == what::all;
    // A plain sum that the first look has is not added up again.
    static constexpr bool with_x = sums && (Sums > 1 || !looks_at_sums) && (all || What == what::x);
    static constexpr bool with_y = joint && (Sums > 1 || !looks_at_sums) && (all || What == what::y);
    static constexpr bool with_products = multiplies && (all || What == what::products);
    window<Sums> x, y;
    window_sums<Products> products;

    all_windows() = default;
    __device__ explicit all_windows(const layouts& by) : x(by.x), y(by.y), products(by.products) {}

    __device__ void add(T u, T v, bool here) {
      if constexpr (with_x) x.add(here ? taken(u) : -0.0);
      if constexpr (with_y) y.add(here ? to_double(v) : -0.0);
      if constexpr (with_products && by_floats && halves) products.add(here ? float_product(u, v) : 0.0);
      else if constexpr (with_products && wide && Products == 2)
        multifold::detail::add_product_roughly(products, here ? u : 0.0, v);
      else if constexpr (with_products) products.add_product(here ? carried(u) : carrier_of<T>{0}, carried(v));
    }
    __device__ void close(const layouts& by) {
      x.close(by.x);
      y.close(by.y);
      products.close(by.products);
    }
    /// Over the lanes of a group, in one exchange with others.
    template <class... Others>
    __device__ void merge(int group, Others&&... others) {
      merge_group(group, merged_if<with_x>(x.sum), merged_if<with_y>(y.sum), merged_if<with_products>(products.sum),
                  others...);
    }
  };
  template <int Sums, int Products, bool Slowly, what What, class Run>
  __device__ static all_windows<Sums, Products, What> in_windows(const Run& run, const layouts& by) {
    all_windows<Sums, Products, What> all(by);
    const auto add = [&](const auto& x, const auto& y, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) all.add(x[k], y[k], here[k]);
    };
    if constexpr (Slowly) run.each_slowly(add);
    else run.each(add);
    all.close(by);
    return all;
  }

  // Windows of elements and of products. `in_two` may round; what it leaves uncertain has as many as it asks for.
  static constexpr int few_sums = multiplies && !wide ? 1 : 2, more_sums = 4, most_sums = 8;
  static constexpr int few = wide ? 3 : 2, more = wide ? 6 : 4, most = 12;
  enum : int { plainly, in_few, in_two };
  enum : int { exactly_in_few = 1, in_more, in_most };
  __device__ static int level_of(const layouts& by) {
    if (looks_at_sums && by.template fit<1, 1>()) return plainly;
    return !wide && by.template fit<few_sums, few>() ? in_few : in_two;
  }
  __device__ static int exact_level_of(const layouts& by) {
    if (by.template fit<few_sums, few>()) return exactly_in_few;
    return by.template fit<more_sums, more>() ? in_more : in_most;
  }
  /// Calls f<Sums, Products, what>(), sum by sum where registers do not hold the windows of all.
  template <class F>
  __device__ static void at_exact_level(int level, const F& f) {
    if (level == exactly_in_few) return f.template operator()<few_sums, few, what::all>();
    if (level == in_more) return f.template operator()<more_sums, more, what::all>();
    if constexpr (sums) f.template operator()<most_sums, most, what::x>();
    if constexpr (joint) f.template operator()<most_sums, most, what::y>();
    if constexpr (multiplies) f.template operator()<most_sums, most, what::products>();
  }

  template <int Count>
  __device__ static moments::near_value near_of_windows(const double (&sum)[Count], double error = 0.0) {
    if constexpr (Count == 1) return {sum[0], 0.0, 0.0};
    else if constexpr (Count == 2) return moments::near_of_parts(sum[0], sum[1], error);
    else return moments::near_of_parts(sum);
  }
  /// What two windows of each sum are off by, where a run is shared; 0 where they hold all of it.
  struct window_errors {
    double x = 0.0, y = 0.0, products = 0.0;

    window_errors() = default;
    template <class Run>
    __device__ window_errors(const layouts& by, const first_look& look, const Run& run, int lanes) {
      const auto error_of = [&](const window_layout& of) {
        return multifold::detail::near_windows_error(of, lanes > 1 ? run.rows() : run.share(), run.share(), lanes);
      };
      // Sums may be ties: those that are exact have to be known as such.
      if (sums && by.sum_reach > by.x.most_reach(2)) {
        if (!look.of_x.none()) x = error_of(by.x);
        if (joint && !look.of_y.none()) y = error_of(by.y);
      }
      if (multiplies && by.product_reach > by.products.most_reach(2)) products = error_of(by.products);
    }
  };
  template <int Sums, int Products, what What>
  __device__ static void put(moments::near_totals& totals, const first_look& look,
                             const all_windows<Sums, Products, What>& found, const window_errors& off) {
    using windows_type = all_windows<Sums, Products, What>;
    if constexpr (windows_type::with_x) totals.x = near_of_windows(found.x.sum, off.x);
    if constexpr (windows_type::with_y) totals.y = near_of_windows(found.y.sum, off.y);
    if constexpr (windows_type::with_products)
      totals.products = look.no_products() ? moments::near_value{} : near_of_windows(found.products.sum, off.products);
  }

  // Whether the result is known well enough for its rounding to be certain, but for what is next to a tie.
  __device__ static bool is_close(const moments::near_totals& of, int count) {
    constexpr double most_off = wide ? 0x1p-62 : 0x1p-58;
    const auto within = [&](double error, double size) { return error == 0 || error <= most_off * fabs(size); };
    bool all = true;
    if constexpr (Set == moment_set::absolute || describes) all = within(of.x.error, of.x.high);
    if constexpr (multiplies && !(Set == moment_set::spread || joint))
      all = all && within(of.products.error, of.products.high);
    if constexpr (Set == moment_set::spread || joint || describes) {
      const moments::near_value& y = joint ? of.y : of.x;
      const double n = count, error = n * of.products.error + (fabs(of.x.high) + of.x.error) * y.error +
                                      (fabs(y.high) + y.error) * of.x.error;
      all = all && within(error, fma(n, of.products.high, -(of.x.high * y.high)));
    } else if constexpr (!wide) {
      // Those that one number makes up are ties once in a few tens.
      const moments::near_value& sum = Set == moment_set::absolute ? of.x : of.products;
      T out;
      if (all && sum.error != 0) all = multifold::detail::round_if_certain(sum, out);
    }
    return all;
  }

  // f16 needs no look at exponents, and infinities and NaN leave a NaN.
  static_assert(most_run_share + 16 <= half_windows::most && tile_stage_bytes / 2 <= half_windows::most_together);
  using half_sums = all_windows<1, 2>;

  template <class Run, class Marks>
  __device__ __forceinline__ static half_sums sums_of_halves(const Run& run, Marks& marks) {
    const layouts by(half_windows::of_elements(), half_windows::of_products());
    half_sums all(by);
    run.each([&](const auto& x, const auto& y, const auto& here, const auto& number) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) {
        all.add(x[k], y[k], here[k]);
      }
      if constexpr (describes) marks.see(x, number);
    });
    all.close(by);
    return all;
  }
  __device__ static bool are_finite(const half_sums& all) {
    double sum = 0.0;
    if constexpr (sums) sum += all.x.sum[0];
    if constexpr (joint) sum += all.y.sum[0];
    if constexpr (multiplies) sum += all.products.sum[0] + all.products.sum[1];
    return sum - sum == 0;
  }

  __device__ static bool is_negative_zero(double x) { return __double_as_longlong(x) == INT64_MIN; }
};

}  // namespace multifold::inline v0_1::cuda::kernels
