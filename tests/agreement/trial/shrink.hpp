// From a trial that fails to a simpler one that fails, too.
#pragma once

#include <functional>
#include <vector>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// Trials that are one step simpler, the greatest steps first.
std::vector<trial> simpler(const trial& t);

/// Goes from trial to simpler trial as long as `fails` says so, for at most `seconds`.
trial shrunk(trial t, const std::function<bool(const trial&)>& fails, double seconds);

}  // namespace multifold::agreement
