// What a description of a few narrow numbers has to be rounded. Bounds: docs/exact-sums.md, 17.
#pragma once

#include "multifold/exact/near/rough.hpp"
#include "multifold/ops/moments/few_moments.hpp"

namespace multifold::inline v0_1::detail {

/// What is rounded of a description.
template <floating_storage T>
struct statistics_of {
  T sum, mean, std, norm2;
  bool sums_are_certain = false;  // all of it but std
};

/// What is gathered for that of narrow numbers, each of it as above.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_statistics {
  few_sum<T> x;
  few_moments<T, moment_set::squares> squares;
  few_moments<T, moment_set::spread> spread;

  MULTIFOLD_HD explicit few_statistics(T u) : squares(u, u), spread(u, u) {}
  MULTIFOLD_HD void add(T u) {
    x.add(u);
    squares.add(u, u);
    spread.add(u, u);
  }
  /// Returns whether all of it is certain. `reciprocal` is that of the count, rounded, `of_divisor` that of count (count -
  /// correction).
  MULTIFOLD_HD bool round(int count, double reciprocal, double of_divisor, statistics_of<T>& out) const {
    if (x.exact()) {
      out.sum = nearest<T>(x.value());
      out.mean = nearest<T>(odd_fraction(x.value(), static_cast<double>(count), reciprocal));
    } else {
      const double off = x.error(), near = x.value() * reciprocal;
      if (!round_if_within(x.value(), off, out.sum) || !round_if_within(near, 2 * off * reciprocal, out.mean))
        return false;
    }
    out.sums_are_certain = squares.round(count, of_divisor, true, out.norm2);
    return out.sums_are_certain && spread.round(count, of_divisor, true, out.std);
  }
};

}  // namespace multifold::inline v0_1::detail
