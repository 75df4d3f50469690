// The folds of every element type, which take long to compile.
#pragma once

#include "folds/host_fold.hpp"
#include "multifold/fold.hpp"

namespace multifold::app {

/// Fills the type, the extents and the data of `result`.
void fold_moments(const host_fold& fold, source& input, const fold_options& options, reduce_result& result);
void fold_logsumexp(source& input, const fold_options& options, reduce_result& result);

template <class T>
void put(const folded<T>& made, reduce_result& result) {
  result.type = dtype_of<T>;
  result.extents = made.extents;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(made.values));
  result.data.assign(bytes.begin(), bytes.end());
}

}  // namespace multifold::app
