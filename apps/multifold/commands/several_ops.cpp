// Words are split at commas; each part is a command or another name for one.
#include "commands/several_ops.hpp"

#include <algorithm>

#include "arguments/offered_ops.hpp"
#include "common/messages/failure.hpp"
#include "common/words/words.hpp"
#include "folds/host_fold.hpp"

namespace multifold::app {
namespace {

std::vector<std::string> names_in(const std::string& word) {
  std::vector<std::string> names(1);
  for (const char c : word) {
    if (c == ',') names.emplace_back();
    else names.back() += c;
  }
  return names;
}

void check_together(const std::string& word, const std::vector<op_kind>& ops) {
  for (auto op = ops.begin(); op != ops.end(); ++op) {
    if (std::find(ops.begin(), op, *op) != op) {
      throw usage("found " + std::string(name(*op)) + " twice in '" + word + "'; expected it once");
    }
    if (takes_two_arrays(*op) != takes_two_arrays(ops[0])) {
      const op_kind one = takes_two_arrays(*op) ? ops[0] : *op, two = takes_two_arrays(*op) ? *op : ops[0];
      throw usage("found '" + word + "'; " + std::string(name(one)) + " takes one array and " + std::string(name(two)) +
                  " two: expected operations of one kind");
    }
  }
}

}  // namespace

std::optional<std::vector<op_kind>> several_ops(const std::string& word) {
  if (word == "minmax") return std::vector{op_kind::min, op_kind::max};
  if (word == difference_word) return std::vector{op_kind::max, op_kind::min};
  if (word.find(',') == std::string::npos) return std::nullopt;
  const std::vector<choice> known = op_choices(offered_ops());
  std::vector<op_kind> ops;
  std::string problem;
  for (std::string& name : names_in(word)) {
    if (is_host_fold(name)) {
      throw usage("found '" + word + "'; " + name + " does not go with several operations: expected it by itself");
    }
    const std::string misfit = choose(name, known);
    if (misfit.empty()) ops.push_back(*parse_op(name));
    else if (problem.empty()) problem = misfit;
  }
  if (ops.empty()) return std::nullopt;
  if (!problem.empty()) throw usage("'" + word + "': " + problem);
  check_together(word, ops);
  return ops;
}

std::string word_of_command(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--color" || word == "--colour") ++i;
    else if (word != "help" && !word.starts_with("-")) return std::string(word);
  }
  return "";
}

std::string names_of(std::span<const op_kind> ops) {
  std::string names;
  for (const op_kind op : ops) names += (names.empty() ? "" : ",") + std::string(name(op));
  return names;
}

}  // namespace multifold::app
