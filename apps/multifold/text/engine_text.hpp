// Why a reduction runs where it does, and how fast the engines are, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "multifold/plan.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

/// The engine for `files` of `elements`, or -1 if they were not known before they were read, and why.
engine_decision engine_for(const plan& p, std::int64_t elements, const std::vector<std::string>& files,
                           const engine_arguments& how);

/// "engine host: less than 256 MiB is not worth a look at the GPU".
std::string engine_line(const engine_decision& decision);

/// "the GPU reduced 1.2 GiB of 3.4 GiB", if both engines did; else nothing.
std::string share_line(const reduce_result& result);

/// "16 slots of 4 MiB, 64 MiB pinned and 66 MiB on the GPU", if chunks went there; else nothing.
std::string memory_line(const reduce_result& result);

/// A line each for the host, the link to the GPU, and memory that is not pinned.
std::string rates_text(const machine_rates& rates);

}  // namespace multifold::app
