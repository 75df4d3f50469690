// Operations that the library has as folds on the CPU: the tool's names for them, and their work on a source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multifold/exact/dyadic.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::app {

enum class host_fold_kind : std::uint8_t { logsumexp, moment, skewness, kurtosis };

struct host_fold_words {
  host_fold_kind kind;
  std::string_view name, about;
  std::vector<std::string> aliases;  // what SciPy and pandas call it
};

/// All of them, in the order of their kinds.
std::span<const host_fold_words> host_folds();

/// Whether a command of this name, or another name for one, is a fold.
bool is_host_fold(std::string_view word);

/// One of them, and what it is told.
struct host_fold {
  host_fold_kind kind;
  int power = 0;                     // of moments
  std::optional<dyadic> shift = {};  // of moments; about the mean without one
  bool bias = true;                  // of skewness and kurtosis
  bool fisher = true;                // of kurtosis
  // What JSON says of these: a key, and a number, true, false or null.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// Reduces `input` over options.axes on the host engine: of keepdims, threads, memory, stop and progress it takes those
/// of `options`. Results are floating point: of integers f64. The operation in result.used is a mean's, whatever ran.
/// Throws: as multifold::fold of a source.
reduce_result reduce(const host_fold& fold, source& input, const reduce_options& options);

}  // namespace multifold::app
