// Sums of f16 that promise no particular bits: along rows the exact kernel is the quicker one.
#pragma once

#include "host/elements/widened.hpp"
#include "host/exact/half_sum.hpp"
#include "host/kernels/row.hpp"
#include "multifold/ops/sum.hpp"

namespace multifold::inline v0_1::host {

/// A float_sum whose rows are summed in fixed point. `F16c`: whether the processor converts f16.
template <bool F16c>
struct half_float_sum : float_sum<f16> {};

MULTIFOLD_INLINE half_float_sum<true> with_fma(const half_float_sum<false>&) { return {}; }

template <bool F16c, class Value>
MULTIFOLD_INLINE double step(const half_float_sum<F16c>&, double l, Value x) {
  return l + to_double(x);
}

template <bool F16c>
MULTIFOLD_INLINE double row_of(const half_float_sum<F16c>& op, row_span<f16> row, std::int64_t, std::int64_t) {
  constexpr simd_level level = F16c ? simd_level::avx2 : simd_level::portable;
  const float_sum<f16>& plain = op;
  // Up to a tile, plain sums are exact, too.
  constexpr std::int64_t shortest = F16c ? longest_short_row<float_sum<f16>> : 1024;
  static_assert(shortest <= exact_tile_elements<f16>);
  if (row.length < shortest) return row_of(plain, row, 0, 0);
  double total = op.identity();
  while (row.length > 0) {
    const std::int64_t run = std::min(row.length, exact_tile_elements<f16>);
    const exact_pair sum = sum_of_halves<level>(row.data, run);
    total += sum.lost() ? row_of(plain, {row.data, run, row.readable}, 0, 0) : sum.high;
    row = {row.data + run, row.length - run, row.readable - run};
  }
  return total;
}

}  // namespace multifold::inline v0_1::host

template <bool F16c>
struct multifold::lane_of<multifold::host::half_float_sum<F16c>>
    : multifold::lane_of<multifold::float_sum<multifold::f16>> {};
