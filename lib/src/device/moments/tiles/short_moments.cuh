// Moments of runs of a few elements of floating point that a thread has alone. See docs/exact-sums.md, 17.
#pragma once

#include "device/moments/near_totals.cuh"
#include "device/moments/store_summary.cuh"
#include "device/moments/tiles/fold.cuh"
#include "multifold/cuda/kernels/runs/short_runs.cuh"
#include "multifold/exact/expansions/spread_of_two.hpp"
#include "multifold/ops/moments/careful_moments.hpp"
#include "multifold/ops/moments/few_statistics.hpp"

namespace multifold::inline v0_1::cuda::moments {

/// The description of n finite elements, some, in their dtype.
template <floating_storage T>
__device__ __forceinline__ void store_description(summary& out, int n, const run_marks<T>& marks,
                                                  const kernels::run_indices& index,
                                                  const multifold::detail::statistics_of<T>& of) {
  const auto word_of = [](T x) { return std::uint64_t{bit_copy<std::make_unsigned_t<key_of<T>>>(x)}; };
  store_in_vectors(
      {static_cast<std::uint64_t>(n), 0, 0, 0, static_cast<std::uint64_t>(marks.zeros),
       static_cast<std::uint64_t>(index[marks.least.number()]),
       static_cast<std::uint64_t>(index[marks.greatest.number()]), word_of(marks.least_element()),
       word_of(marks.greatest_element()), word_of(of.sum), word_of(of.mean), word_of(of.std), word_of(of.norm2)},
      out);
}

}  // namespace multifold::inline v0_1::cuda::moments

namespace multifold::inline v0_1::cuda::kernels {

template <floating_storage T, moment_set Set>
struct short_runs<moments::moment_fold<T, Set>> {
  using fold = moments::moment_fold<T, Set>;
  static constexpr int most_rows = multifold::detail::most_few;
  static constexpr bool describes = Set == moment_set::description, near = sizeof(T) == 8 || describes;
  static constexpr int together = describes ? 1 : near ? 2 : 4;

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned columns(const fold&, const Walk& walk, const short_place& place,
                                                     const whole_columns<Width, fold, Output>& columns) {
    unsigned left;
    if constexpr (describes) {
      left = described(walk, place, columns);
    } else {
      const auto& to = columns.args->output.to;
      if (Set == moment_set::spread && place.rows == 2 && static_cast<std::uint64_t>(to.correction) < 2)
        left = of_two(walk, place, columns);
      else left = of_few(walk, place, columns);
    }
    if (left != 0) one_by_one(walk, place, columns, left);
    return 0;
  }

 private:
  static constexpr int arrays = reads_two_arrays(Set) ? 2 : 1;

  // f(j, where its result goes) says whether it is there; a bit for each that is not.
  template <int Width, class Output, class F>
  __device__ __forceinline__ static unsigned each_column(const whole_columns<Width, fold, Output>& columns,
                                                         const F& f) {
    T* out = static_cast<T*>(columns.args->output.to.data) + columns.batch;
    unsigned left = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      T result{};
      const bool known = f(j, result);
      if (!columns.has(j)) continue;
      if (known) *out = result;
      else left |= 1u << j;
    }
    return left;
  }

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned of_two(Walk walk, const short_place& place,
                                                    const whole_columns<Width, fold, Output>& columns) {
    T x[2][Width];
    load_short_rows(walk, columns.offsets(place.span), x);
    const auto& to = columns.args->output.to;
    const bool has_root = to.op == op_kind::std;
    return each_column(columns, [&](int j, T& out) {
      return multifold::detail::round_spread_of_two(to_double(x[0][j]), to_double(x[1][j]), to.correction, has_root,
                                                    out);
    });
  }

  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static unsigned of_few(Walk walk, const short_place& place,
                                                    const whole_columns<Width, fold, Output>& columns) {
    using gathers = multifold::detail::few_moments<T, Set>;
    const column_offsets<Width> offset = columns.offsets(place.span);
    Walk ahead = walk;
    const std::byte* const first = ahead.take(true);
    const auto element = [&](int j, int array) {
      return *reinterpret_cast<const T*>(first + offset.of[j] + (array == 1 ? place.beyond : 0));
    };
    const auto gather = [&]<int... J>(std::integer_sequence<int, J...>) {
      gathers sums[Width] = {gathers(element(J, 0), element(J, arrays - 1))...};
      each_short_row<T, arrays>(walk, place, offset,
                                [&](const auto& x, const auto& y, int) { (..., sums[J].add(x[J], y[J])); });
      if constexpr (!near) {
        const auto& to = columns.args->output.to;
        const bool has_root = to.op == op_kind::std || to.op == op_kind::norm2;
        return each_column(columns,
                           [&](int j, T& out) { return sums[j].round(place.rows, to.reciprocal, has_root, out); });
      } else {
        unsigned left = 0;
#pragma unroll
        for (int j = 0; j < Width; ++j) {
          moments::near_totals totals;
          if (!columns.has(j)) continue;
          if (!known(sums[j], totals) || !columns.args->output.deliver(columns.batch + j * columns.apart, totals))
            left |= 1u << j;
        }
        return left;
      }
    };
    return gather(std::make_integer_sequence<int, Width>{});
  }

  template <class Walk, class Output>
  __device__ __forceinline__ static unsigned described(Walk walk, const short_place& place,
                                                       const whole_columns<1, fold, Output>& columns) {
    if constexpr (sizeof(T) < 8) {
      return described_at_once(walk, place, columns) ? 0 : 1;
    } else {
      multifold::detail::few_moments<T, Set> sums{T{}, T{}};
      moments::near_totals totals;
      const auto marks = marked(walk, place, sums);
      const bool is_known = known(sums, totals);
      note(totals, marks, place);
      return is_known && columns.args->output.deliver(columns.batch, totals) ? 0 : 1;
    }
  }
  // Of narrow elements, in their dtype.
  template <class Walk, class Output>
  __device__ __forceinline__ static bool described_at_once(Walk walk, const short_place& place,
                                                           const whole_columns<1, fold, Output>& columns) {
    Walk ahead = walk;
    multifold::detail::few_statistics<T> sums(*reinterpret_cast<const T*>(ahead.take(true)));
    moments::run_marks<T> marks;
    each_short_row<T, 1>(walk, place, column_offsets<1>{}, [&](const auto& x, const auto&, int number) {
      sums.add(x[0]);
      marks.see(x[0], number);
    });
    const auto& to = columns.args->output.to;
    multifold::detail::statistics_of<T> all;
    if (!sums.round(place.rows, __drcp_rn(static_cast<double>(place.rows)), to.reciprocal, all)) {
      // Half a difference is a tie one time in a few.
      if (place.rows != 2 || static_cast<std::uint64_t>(to.correction) > 1 || !all.sums_are_certain ||
          !multifold::detail::round_spread_of_two(to_double(marks.least_element()), to_double(marks.greatest_element()),
                                                  to.correction, true, all.std))
        return false;
    }
    moments::store_description(static_cast<summary*>(to.data)[columns.batch], place.rows, marks, place.index, all);
    return true;
  }
  template <class Walk, class Sums>
  __device__ __forceinline__ static moments::run_marks<T> marked(Walk& walk, const short_place& place, Sums& sums) {
    moments::run_marks<T> marks;
    each_short_row<T, arrays>(walk, place, column_offsets<1>{}, [&](const auto& x, const auto&, int number) {
      sums.add(x[0], x[0]);
      marks.see(x[0], number);
    });
    return marks;
  }
  __device__ static void note(moments::near_totals& totals, const moments::run_marks<T>& marks,
                              const short_place& place) {
    totals.marks = marks.marks(place.index);
    totals.minus_x = marks.only_negative_zeros();
  }

  template <class Sums>
  __device__ static bool known(const Sums& sums, moments::near_totals& totals) {
    multifold::detail::few_totals of;
    const bool all = sums.totals(of);
    totals.x = of.x;
    totals.y = of.y;
    totals.products = of.products;
    totals.up = of.up;
    return all;
  }

  // Those of doubles ask for the greatest elements first.
  template <class Walk>
  __device__ __forceinline__ static auto careful_sums(Walk walk, const short_place& place,
                                                      const column_offsets<1>& offset) {
    using sums_type = multifold::detail::careful_moments<T, Set>;
    if constexpr (sizeof(T) < 8) {
      return sums_type{};
    } else {
      magnitude_scan<double> of_x, of_y;
      multifold::detail::product_scan of_products;
      each_short_row<T, arrays>(walk, place, offset, [&](const auto& x, const auto& y, int) {
        of_x.see(x[0]);
        if constexpr (arrays == 2) of_y.see(y[0]), of_products.see(x[0], y[0]);
      });
      const auto top_of = [](const magnitude_scan<double>& scan) {
        return scan.none() ? 0 : exponent_range<double>(scan).top();
      };
      return sums_type(top_of(of_x), top_of(of_y), of_products);
    }
  }

  // Of a product or two the exact sum often is a double, and a tie.
  template <class Walk, int Width, class Output>
  __device__ __forceinline__ static bool stored_exactly(Walk walk, const short_place& place,
                                                        const column_offsets<1>& offset,
                                                        const whole_columns<Width, fold, Output>& columns, int j) {
    multifold::detail::checked_sum sum;
    each_short_row<T, arrays>(walk, place, offset,
                              [&](const auto& x, const auto& y, int) { sum.add(to_double(x[0]) * to_double(y[0])); });
    if (!sum.exact()) return false;
    static_cast<T*>(columns.args->output.to.data)[columns.batch + j * columns.apart] =
        multifold::detail::nearest<T>(sum.sum);
    return true;
  }

  // Out of line, as what ordinary data hardly need.
  template <class Walk, int Width, class Output>
  __device__ __noinline__ static void one_by_one(Walk walk, short_place place,
                                                 whole_columns<Width, fold, Output> columns, unsigned which) {
#pragma unroll 1
    for (int j = 0; j < Width; ++j) {
      if ((which >> j & 1u) == 0) continue;
      const column_offsets<1> offset{{j * place.span}};
      if constexpr (sizeof(T) < 8 && (Set == moment_set::squares || Set == moment_set::products)) {
        if (columns.args->output.to.op != op_kind::norm2 && stored_exactly(walk, place, offset, columns, j)) continue;
      }
      auto sums = careful_sums(walk, place, offset);
      moments::near_totals totals;
      Walk ahead = walk;
      if constexpr (describes) {
        const auto marks = marked(ahead, place, sums);
        note(totals, marks, place);
      } else {
        each_short_row<T, arrays>(ahead, place, offset,
                                  [&](const auto& x, const auto& y, int) { sums.add(x[0], y[0]); });
      }
      totals.lost = !known(sums, totals);
      if constexpr (Set == moment_set::products) totals.minus_products = sums.minus_products();
      columns.args->output(columns.args->op, columns.batch + j * columns.apart, totals);
    }
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
