// Several operations in one word, as in multifold sum,max,norm2 x.npy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "multifold/ops.hpp"

namespace multifold::app {

/// The word for the difference of the extremes, which are reduced on one read.
inline constexpr std::string_view difference_word = "ptp";

/// The operations of a word with commas, of minmax or of difference_word, the greatest first; nothing for one without
/// commas, or in which nothing is an operation, which may be a file. Throws usage() for those that do not go together:
/// unknown, named twice, of one array and of two, or folds.
std::optional<std::vector<op_kind>> several_ops(const std::string& word);

/// The word in the place of a command, or of what help is asked about: the first that is neither help, an option nor
/// the value of --color; or "".
std::string word_of_command(int argc, const char* const* argv);

/// "sum,max".
std::string names_of(std::span<const op_kind> ops);

}  // namespace multifold::app
