// Moments of runs of a few integers that a thread has alone.
#pragma once

#include <type_traits>

#include "device/moments/integer_results.cuh"
#include "device/moments/tiles/fold.cuh"
#include "multifold/cuda/kernels/runs/short_runs.cuh"
#include "multifold/exact/expansions/spread_of_two.hpp"

namespace multifold::inline v0_1::cuda::kernels {

template <class C, moment_set Set>
requires(!floating_storage<C>) struct short_runs<moments::moment_fold<C, Set>> {
  using fold = moments::moment_fold<C, Set>;
  static constexpr bool describes = Set == moment_set::description, wide = sizeof(C) == 8;
  static constexpr int most_rows = 16, together = describes || wide ? 1 : sizeof(C) == 4 ? 2 : 4;

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const fold& op, const Walk& walk, const short_place& place,
                                                     const whole_columns<Width, fold, Output>& columns) {
    const auto& to = columns.args->output.to;
    const bool two = place.rows == 2 && to.result == dtype::f64 && static_cast<std::uint64_t>(to.correction) < 2;
    op.with_element([&]<class T>(T) {
      if constexpr (Set == moment_set::spread && sizeof(C) > 2) {
        if (two) return take_two<T>(walk, place, columns);
      }
      take<T>(walk, place, columns);
    });
    return 0;
  }

 private:
  using lane = typename fold::lane;
  static constexpr int arrays = reads_two_arrays(Set) ? 2 : 1;
  static constexpr bool deviates = Set == moment_set::spread || Set == moment_set::joint;

  // Of their difference, a number of 64 bits.
  template <class T, class Walk, int Width, class Output>
  __device__ __forceinline__ static void take_two(Walk walk, const short_place& place,
                                                  const whole_columns<Width, fold, Output>& columns) {
    C x[2][Width];
    load_short_rows(walk, columns.offsets(place.span), x);
    const auto& to = columns.args->output.to;
    double* out = static_cast<double*>(to.data) + columns.batch;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      if (!columns.has(j)) continue;
      const T a = bit_copy<T>(x[0][j]), b = bit_copy<T>(x[1][j]);
      const std::uint64_t d = static_cast<std::uint64_t>(max(a, b)) - static_cast<std::uint64_t>(min(a, b));
      const auto difference = multifold::detail::add_exactly(static_cast<double>(d >> 32) * 0x1p32,
                                                             static_cast<double>(static_cast<std::uint32_t>(d)));
      if (multifold::detail::round_spread_of_two(difference, to.correction, to.op == op_kind::std, *out)) continue;
      lane sums{};
      fold::add(sums, a, a);
      fold::add(sums, b, b);
      deliver(columns.args, columns.batch + j * columns.apart, sums, multifold::detail::partial_marks{});
    }
  }

  template <class T, class Walk, int Width, class Output>
  __device__ __forceinline__ static void take(Walk walk, const short_place& place,
                                              const whole_columns<Width, fold, Output>& columns) {
    lane sums[Width]{};
    [[maybe_unused]] moments::run_marks<C> marks[describes ? Width : 1];
    each_short_row<C, arrays>(walk, place, columns.offsets(place.span), [&](const auto& x, const auto& y, int number) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        fold::add(sums[j], bit_copy<T>(x[j]), bit_copy<T>(y[j]));
        if constexpr (describes) marks[j].see(bit_copy<T>(x[j]), number);
      }
    });
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const std::int64_t batch = columns.batch + j * columns.apart;
      if (!columns.has(j)) continue;
      if constexpr (describes) {
        const auto all = marks[j].marks(place.index);
        if (!described(columns.args->output.to, sums[j], all, place.rows, batch))
          deliver(columns.args, batch, sums[j], all);
      } else if (!stored(columns.args->output.to, sums[j], place.rows, batch)) {
        deliver(columns.args, batch, sums[j], multifold::detail::partial_marks{});
      }
    }
  }

  // What takes more than one operation or two is a lot of code.
  template <class Output>
  __device__ __noinline__ static void deliver(const pass_arguments<fold, Output>* args, std::int64_t batch, lane sums,
                                              multifold::detail::partial_marks marks) {
    auto all = args->op.widen(sums);
    if constexpr (describes) all.marks = marks;
    args->output(args->op, batch, all);
  }

  // Whether a description was certain, and is stored: products of so few elements are below 2^41.
  __device__ static bool described(const moments::output& to, const lane& sums,
                                   const multifold::detail::partial_marks& marks, int n, std::int64_t batch) {
    if constexpr (describes && sizeof(C) <= 2) {
      if (to.result != dtype::f64 || to.correction < 0 || to.correction >= n) return false;
      const auto x = static_cast<std::int64_t>(sums.x), squares = static_cast<std::int64_t>(sums.products);
      const moments::integer_fraction v{static_cast<double>(n * squares - x * x),
                                        static_cast<double>(n * (n - static_cast<int>(to.correction)))};
      double root;
      if (!v.root(to.reciprocal, root)) return false;
      moments::store_description<C>(static_cast<summary*>(to.data)[batch], to.element, n, marks, static_cast<double>(x),
                                    static_cast<double>(squares), root);
      return true;
    }
    return false;
  }

  // Whether a total is a result, or a rounding or two make it one.
  __device__ static bool stored(const moments::output& to, const lane& sums, int n, std::int64_t batch) {
    if constexpr (deviates) {
      if constexpr (sizeof(C) <= 2) {
        // Below 2^41.
        if (to.result != dtype::f64 || to.correction < 0 || to.correction >= n) return false;
        const std::int64_t y = Set == moment_set::joint ? sums.y : sums.x;
        const auto numerator = static_cast<double>(n * static_cast<std::int64_t>(sums.products) - sums.x * y);
        const moments::integer_fraction v{numerator, static_cast<double>(n * (n - static_cast<int>(to.correction)))};
        double result;
        if (Set != moment_set::spread || to.op != op_kind::std) result = v.value();
        else if (!v.root(to.reciprocal, result)) return false;
        static_cast<double*>(to.data)[batch] = result;
        return true;
      }
    } else {
      std::int64_t total = 0;
      if constexpr (Set != moment_set::absolute) {
        const auto& products = sums.products;
        if constexpr (wide) {
          return false;
        } else {
          total = static_cast<std::int64_t>(products);
          if (total != products) return false;
        }
      } else {
        total = static_cast<std::int64_t>(sums.x);
        if (total != sums.x) return false;
      }
      if (to.result == dtype::i64 || (to.result == dtype::u64 && total >= 0)) {
        static_cast<std::int64_t*>(to.data)[batch] = total;
        return true;
      }
      double root;
      if (to.result == dtype::f64 && Set == moment_set::squares && to.op == op_kind::norm2 &&
          moments::fits_double(total, root)) {
        static_cast<double*>(to.data)[batch] = __dsqrt_rn(root);
        return true;
      }
    }
    return false;
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
