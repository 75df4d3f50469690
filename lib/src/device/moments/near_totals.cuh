// The moments of a batch before they are rounded, on their way from the runs of a tile to its results.
#pragma once

#include "multifold/exact/expansions/expansion.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/moments/moment_partial.hpp"

namespace multifold::inline v0_1::cuda::moments {

using multifold::detail::near_value;

/// The moments of a whole batch as they are rounded: exact, or within an error.
struct near_totals {
  near_value x{}, y{}, products{};
  bool minus_x = false, minus_products = false;  // a zero that is -0
  bool lost = false;
  int up = 0;  // x y and the products are 2^-up of what they stand for
  multifold::detail::partial_marks marks;
};

/// The sum of two numbers that is off by `error` at most, and the sum of many.
__device__ inline near_value near_of_parts(double high, double low, double error = 0.0) {
  const multifold::detail::two_sum tight = multifold::detail::add_exactly(high, low);
  return {tight.sum, tight.error, error};
}
template <int Count>
__device__ near_value near_of_parts(const double (&part)[Count]) {
  expansion<Count> sum;
#pragma unroll
  for (int k = 0; k < Count; ++k) sum.part[k] = part[k];
  return multifold::detail::near_of(sum);
}

}  // namespace multifold::inline v0_1::cuda::moments
