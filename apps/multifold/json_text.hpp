// The JSON of results and plans; every object carries the name of its schema.
#pragma once

#include <string>

#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

/// "multifold.result/1" on one line. NaN and infinities are the strings "nan", "inf" and "-inf"; integers are exact.
/// Where the result went to the file `output`, its name stands instead of the value; else `output` is empty.
std::string result_json(const reduce_result& result, const std::string& file, const std::string& output);

/// "multifold.plan/1" on one line.
std::string plan_json(const plan& p);

/// "multifold.info/1" on one line.
std::string info_json();

}  // namespace multifold::app
