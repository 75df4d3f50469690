// Accumulators of the other engine, which gathers exact sums whole, where this one has pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/fold.hpp"

namespace multifold::inline v0_1::host {

/// Merges `count` accumulators of `what` as visit_fold names them, accumulator_bytes apart and aligned to 16, into
/// those of its fold, element by element. What is read is not used again, or cleared before it is.
void merge_whole(const fold& f, const reduction& what, std::byte* into, const std::byte* from, std::int64_t count);

}  // namespace multifold::inline v0_1::host
