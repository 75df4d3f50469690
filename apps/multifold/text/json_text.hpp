// The JSON of results, plans and graphs; every object carries the name of its schema.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/standard_output.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/plan.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

/// What a result came from and went to.
struct result_files {
  std::vector<std::string> inputs;  // one, or all that went into it; none: nothing but states
  std::string output;               // if it is not empty, its name stands instead of the value
  std::vector<std::string> merged;  // states
  std::optional<std::string> state;
  std::optional<std::string> where = {};  // marks
  std::optional<std::string> weights = {};
  std::string op = {};                                             // that of the result, unless it is empty
  std::vector<std::pair<std::string, std::string>> settings = {};  // of `op`: keys and JSON
};

/// Prints "multifold.result/1" on one line, without its end; element by element, whatever its size. NaN and infinities
/// are the strings "nan", "inf" and "-inf"; integers are exact. Values of describe are objects, of integers and of
/// reals in their dtypes: extremes in input_dtype, the sum of integers in 64 bits, all else in dtype.
void print_result_json(const reduce_result& result, const result_files& files, text_output& out);

/// "multifold.plan/1" on one line; the reason for the engine is empty where it was not chosen.
std::string plan_json(const plan& p, const std::string& engine_reason);

/// "multifold.graph/1" on one line: the topology of `p`. Edges are pairs of places in the list of nodes, from 0 on; the
/// body of a condition has nodes and edges of its own. What a node does not have, or is not known, is null.
std::string graph_json(const plan& p, const graphs::topology& t);

/// "multifold.info/1" on one line, with the rates where they are known.
std::string info_json(const std::optional<machine_rates>& rates);

}  // namespace multifold::app
