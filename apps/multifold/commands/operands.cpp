// Archives are taken apart.
#include "commands/operands.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/messages/failure.hpp"
#include "multifold/source.hpp"

namespace multifold::app {
namespace {

bool wants_one_result(const reduce_arguments& arguments) {
  return arguments.states.used() || arguments.states.checkpoint || !arguments.output.empty();
}

// Each array of an archive is a result of its own. What is wrong with a file is said when its turn comes.
std::vector<std::string> arrays_of(const reduce_arguments& arguments, const std::string& file) {
  if (arguments.raw.dtype) return {file};
  std::vector<std::string> arrays;
  try {
    arrays = arrays_in(file);
  } catch (...) {
    arrays.clear();
  }
  if (arrays.empty()) return {file};
  if (arrays.size() > 1 && wants_one_result(arguments)) {
    throw file_failure(exit_code::usage, file,
                       fmt::format("found {} arrays; expected one, as in {}", arrays.size(), label_of(arrays.front())));
  }
  return arrays;
}

}  // namespace

std::vector<operand_files> operands_of(const reduce_arguments& arguments) {
  if (takes_two_arrays(arguments.op) || arguments.concatenate) return {arguments.files};
  std::vector<operand_files> each;
  for (const std::string& file : arguments.files) {
    for (std::string& array : arrays_of(arguments, file)) each.push_back({std::move(array)});
  }
  return each;
}

}  // namespace multifold::app
