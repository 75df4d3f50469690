// Descriptions as tables for people.
#pragma once

#include "common/standard_output.hpp"
#include "multifold/reduce.hpp"
#include "text/values/array_text.hpp"

namespace multifold::app {

/// Prints, of one batch: a statistic a line, with the dtype of its value. Of several: a batch a line, `shortened` as
/// array_text does. No newline at the end.
void print_description(const reduce_result& result, notation how, text_output& out, bool shortened = true);

}  // namespace multifold::app
