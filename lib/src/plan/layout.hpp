// How work is spread over an engine: parts a batch and threads a block. Private to the plan.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// As many parts, up to `most`, as fill whole waves of `slots` blocks: the fewest waves that are 95 % full, or the
/// fullest of the first eight. A part costs `part_cost` of what reading a batch does, if it has several.
std::int64_t parts_for_waves(std::int64_t blocks, std::int64_t slots, std::int64_t most, double part_cost = 0);

/// Whether `at` reads its `array`, whatever the form of the plan is: tiles do, and columns on the GPU.
inline bool reads_array(const pass& at, const engine_traits& engine) {
  return at.kind == kernel::tiles || (at.kind == kernel::columns && engine.engine == engine_kind::device);
}

/// Sets kernel, threads, group and the number of parts of the first pass, as far as `options` leaves them open.
pass first_pass(const reduction& what, const batches& form, const plan_options& options, const engine_traits& engine);

/// Cuts the batches of `p` into at most `parts` contiguous parts of equal length, none of them empty.
void cut(pass& p, std::int64_t parts, std::int64_t granule);

/// Deals the batches of `p` out to at most `parts` parts, `tile` elements at a time; contiguous if they are too few.
void deal(pass& p, std::int64_t parts, std::int64_t tile);

/// The grid of `p`: blocks that it takes to give every part its threads.
std::int64_t grid_of(const pass& p, const batches& form, const engine_traits& engine);

}  // namespace multifold::inline v0_1::detail
