// The logarithm of a sum of exponentials, from one read, without overflow: what softmax and likelihoods are made of.
#pragma once

#include <cstdint>

#include "multifold/fold.hpp"
#include "multifold/ops/exponential_sum.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// log(sum(exp(x))) as an operation for fold.
/// Numerics: the double that is rounded to T is off by 2^-50 and 2^-51 of itself at most (ops/exponential_sum.hpp),
///           whatever the elements are: none overflows or is lost, however far apart they are. +Inf if an element is,
///           NaN if one is, -Inf of nothing and of nothing but -Inf. Of integers, too, as a double.
template <class T>
struct logsumexp_fold {
  using value_type = T;
  using accumulator = exponential_sum;
  using lane = exponential_sum;
  static constexpr std::int64_t lane_capacity = INT64_MAX;

  MULTIFOLD_HD exponential_sum identity() const { return {}; }
  MULTIFOLD_HD exponential_sum lift(T x, std::int64_t) const { return absorb({}, x, 0); }
  MULTIFOLD_HD exponential_sum combine(exponential_sum a, const exponential_sum& b) const {
    a.add(b);
    return a;
  }
  MULTIFOLD_HD auto lower(const exponential_sum& sum, std::int64_t) const {
    if constexpr (floating_storage<T>) return detail::nearest<T>(sum.logarithm());
    else return sum.logarithm();
  }

  MULTIFOLD_HD exponential_sum lane_identity() const { return {}; }
  MULTIFOLD_HD exponential_sum absorb(exponential_sum sum, T x, std::int64_t) const {
    if constexpr (floating_storage<T>) sum.add(to_double(x));
    else sum.add(static_cast<double>(x));
    return sum;
  }
  MULTIFOLD_HD exponential_sum widen(const exponential_sum& sum) const { return sum; }
};

/// Over all elements of what view.hpp takes, or over options.axes of a view. Of a source: fold(logsumexp_fold<T>{},
/// source).
/// Shapes, Memory, Numerics, Throws: as fold and logsumexp_fold: the same bits on any number of threads.
/// Cost:     one read, and an exponential an element: some nanoseconds a core.
template <viewable Array>
auto logsumexp(const Array& array) {
  return fold(logsumexp_fold<element_type_of<Array>>{}, as_view(array)).value();
}
template <storage_type T>
folded<fold_result<logsumexp_fold<T>>> logsumexp(const array_view& view, const fold_options& options = {}) {
  return fold(logsumexp_fold<T>{}, view, options);
}

}  // namespace multifold::inline v0_1
