// What is said about a result: text, JSON or a plan, and the file that -o names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/reduce/files.hpp"
#include "common/terminal/interrupt.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

/// Writes the results to the file that -o names, if one is.
void write_output(const reduce_arguments& arguments, const operand_files& operands,
                  std::span<const reduce_result> results, interrupt_watch& watch);

/// Prints `result` of `operands`, with their names in front unless they are `alone`, and that of its operation where
/// there are several.
void report(const reduce_arguments& arguments, const operand_files& operands, const reduce_result& result, bool alone);

}  // namespace multifold::app
