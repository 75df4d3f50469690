// The GPU's half of the ladder, as the rest of the program sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "climb.hpp"

namespace multifold::ladder {

/// The GPU's ladder; empty where there is no GPU, or none that this build has kernels for: `reason` says why.
/// what.count = 0: arrays of 4 GiB, or of a quarter of the GPU's free memory if that is less.
std::optional<climb> climb_device(const problem& what, int repeats, std::string& reason);
/// f32 sums of the same array by atomics, by a fixed tree, and exactly, `runs` times each.
std::vector<order_trial> device_orders(std::int64_t count, int runs);

}  // namespace multifold::ladder
