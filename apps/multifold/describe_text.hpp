// Descriptions as tables for people.
#pragma once

#include <string>

#include "array_text.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

/// Of one batch: a statistic a line, with the dtype of its value. Of several: a batch a line, shortened as array_text
/// does. No newline at the end.
std::string describe_text(const reduce_result& result, notation how);

}  // namespace multifold::app
