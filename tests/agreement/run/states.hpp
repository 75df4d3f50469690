// What states of trials have to be.
#pragma once

#include <string>

#include "agreement/worker.hpp"
#include "multifold/reduce.hpp"

namespace multifold::agreement {

/// What is wrong with the state that `whole` kept: it has to be that of two parts merged, and to finish as the result.
std::string state_damage(const trial& t, const laid_out& arrays, const reduce_result& whole);

}  // namespace multifold::agreement
