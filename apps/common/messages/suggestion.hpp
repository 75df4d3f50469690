// Words that were meant where another one was typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace multifold::app {

/// The words of `known` that `word` is a slip of, if it is close to any: all at the least distance, in their order,
/// unless there are more than three. Distance counts letters that are missing, superfluous, wrong, or swapped with the
/// next; upper and lower case are alike, and so are - and _.
std::vector<std::string> similar_words(std::string_view word, const std::vector<std::string>& known);

/// "'summ' (did you mean sum?)", or "'summ'" where nothing is similar.
std::string quoted(std::string_view word, const std::vector<std::string>& known);

/// "host, device or both".
std::string listed(const std::vector<std::string>& words);

}  // namespace multifold::app
