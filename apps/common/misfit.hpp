// Command lines that a parser does not understand, and what may have been meant by them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/messages/failure.hpp"
#include "common/words/words.hpp"

namespace CLI {
class App;
class ParseError;
class Validator;
}  // namespace CLI

namespace multifold::app {

/// What `error`, thrown by program.parse, stands for: with the option that may have been meant in place of an unknown
/// one.
failure misfit(const CLI::App& program, const CLI::ParseError& error);

/// What the name of a validator of one_of() begins with; its words follow, with | between them.
inline constexpr std::string_view choices_mark = "one of ";

/// Puts the word for `choices` in the place of other names for it, and refuses any other. The help text says which
/// there are. For CLI::Option::transform.
CLI::Validator one_of(std::vector<choice> choices);

/// Refuses what is no integer from `least` to `greatest`. For CLI::Option::check.
CLI::Validator between(std::int64_t least, std::int64_t greatest);

}  // namespace multifold::app
