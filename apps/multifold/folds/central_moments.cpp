// Moments, skewness and kurtosis, which are one type of fold for each type of elements.
#include "multifold/central_moments.hpp"

#include "folds/instances.hpp"

namespace multifold::app {
namespace {

template <class T>
central_moment_fold<T> fold_of(const host_fold& fold) {
  if (fold.kind == host_fold_kind::skewness) return skewness_fold<T>({fold.bias});
  if (fold.kind == host_fold_kind::kurtosis) return kurtosis_fold<T>({fold.fisher, fold.bias});
  return moment_fold<T>(fold.power, {fold.shift});
}

}  // namespace

void fold_moments(const host_fold& which, source& input, const fold_options& options, reduce_result& result) {
  visit_dtype(input.layout().type, [&]<class T>() { put(fold(fold_of<T>(which), input, options), result); });
}

}  // namespace multifold::app
