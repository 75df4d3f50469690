// What the library's folds make of arrays in memory, as results.
#pragma once

#include <cstring>
#include <utility>

#include "calls/interrupt.hpp"
#include "calls/run.hpp"
#include "multifold/fold.hpp"

namespace multifold::python {

/// Values in the dtype of their type.
template <class T>
reduce_result result_of(folded<T> folds) {
  reduce_result result;
  result.type = dtype_of<T>;
  result.extents = std::move(folds.extents);
  result.data.resize(folds.values.size() * sizeof(T));
  if (!folds.values.empty()) std::memcpy(result.data.data(), folds.values.data(), result.data.size());
  return result;
}

/// The options that folds have, of those that reductions have.
inline fold_options fold_options_from(const reduce_options& options) {
  fold_options how;
  how.axes = options.axes;
  how.keepdims = options.keepdims;
  how.threads = options.threads;
  how.stop = options.stop;
  return how;
}

/// Throws: ValueError for options that folds do not have; `what` is folded.
inline void refuse_options(const std::string& what, const reduce_options& options) {
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw nb::value_error((what + " takes no " + option).c_str());
  };
  refuse(options.where.has_value(), "where");
  refuse(options.nan != nan_policy::propagate, "nan='omit'");
  refuse(options.stream != nullptr, "stream");
  refuse(options.engine == engine_choice::device || options.engine == engine_choice::both, "engine but 'host'");
}

/// Whether it takes so long that other threads of Python may run.
inline bool is_long(const array_view& view) {
  return view.where == place::host && view.elements() >= long_bytes / item_bytes(view.type);
}

}  // namespace multifold::python
