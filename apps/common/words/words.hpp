// Words that options and commands take, with the names that other tools have for them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "multifold/ops.hpp"

namespace multifold::app {

struct choice {
  std::string word;
  std::vector<std::string> aliases;  // other names for it
};

/// Choices without other names.
std::vector<choice> choices_of(const std::vector<std::string>& words);

/// auto, host (cpu), device (gpu, cuda), and both where that can be asked for.
std::vector<choice> engine_choices(bool with_both);

/// Operations by name, with what NumPy, pandas, BLAS and others call them where nothing else could be meant.
std::vector<choice> op_choices(std::span<const op_kind> ops);

/// Other names of one operation.
std::vector<std::string> aliases_of(op_kind op);

/// Puts the word that `text` stands for in its place, and returns nothing; or returns what is wrong with it: "found
/// 'gup' (did you mean gpu?); expected auto, host, device or both".
std::string choose(std::string& text, const std::vector<choice>& choices);

}  // namespace multifold::app
