// Memory for results. Private to the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::detail {

/// Room for `count` results of `what`. Throws: out_of_memory.
std::vector<std::byte> allocate_results(const reduction& what, std::int64_t count);

}  // namespace multifold::inline v0_1::detail
