// The table of names, and what results say beside their values.
#include "folds/host_fold.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "folds/instances.hpp"

namespace multifold::app {

std::span<const host_fold_words> host_folds() {
  static const std::array<host_fold_words, 4> table{
      {{host_fold_kind::logsumexp, "logsumexp", "The logarithm of the sum of the exponentials", {}},
       {host_fold_kind::moment, "moment", "The mean power of the deviations, from the mean or any number", {}},
       {host_fold_kind::skewness, "skewness", "The skewness: third standardized moment", {"skew"}},
       {host_fold_kind::kurtosis, "kurtosis", "The kurtosis: fourth standardized moment, less 3", {"kurt"}}}};
  return table;
}

bool is_host_fold(std::string_view word) {
  return std::ranges::any_of(host_folds(), [word](const host_fold_words& each) {
    return each.name == word || std::ranges::count(each.aliases, word) > 0;
  });
}

reduce_result reduce(const host_fold& fold, source& input, const reduce_options& options) {
  // A mean of nothing says which processor this is.
  reduce_result result = reduce(op_kind::mean, make_view(nullptr, input.layout().type, {0}),
                                {.engine = engine_choice::host, .threads = options.threads});
  result.used.passes.clear();
  const bool exact = fold.kind != host_fold_kind::logsumexp;
  result.achieved = exact ? accuracy::exact : accuracy::fast;
  const fold_options how{options.axes,         options.keepdims, options.threads,
                         options.memory_bytes, options.stop,     options.progress};
  const auto start = std::chrono::steady_clock::now();
  if (exact) fold_moments(fold, input, how, result);
  else fold_logsumexp(input, how, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.count = element_count(input.layout().extents);
  result.bytes = result.count * item_bytes(input.layout().type);
  return result;
}

}  // namespace multifold::app
