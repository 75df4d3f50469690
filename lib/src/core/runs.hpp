// Runs of an array on their way to a form.
#pragma once

#include <vector>

#include "multifold/array.hpp"

namespace multifold::inline v0_1::detail {

/// Makes one run of neighbours, slowest first, that follow each other in the array and in the results.
void merge_neighbours(std::vector<run>& runs);

}  // namespace multifold::inline v0_1::detail
