// Logarithms of sums of exponentials.
#include "multifold/logsumexp.hpp"

#include <type_traits>

#include "folds/instances.hpp"
#include "multifold/error.hpp"

namespace multifold::app {

void fold_logsumexp(source& input, const fold_options& options, reduce_result& result) {
  visit_dtype(input.layout().type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool8>) throw unsupported_error("logsumexp of bool; expected numbers");
    else put(fold(logsumexp_fold<T>{}, input, options), result);
  });
}

}  // namespace multifold::app
