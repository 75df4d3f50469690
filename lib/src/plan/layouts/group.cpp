// As many groups as SMs hold, and parts of batches where those are too few.
#include "plan/layouts/group.hpp"

#include <algorithm>

#include "plan/layout.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
pass blank_pass(const batches& form, const plan_options& options, const engine_traits& engine) {
  pass p;
  p.batches = form.results();
  p.length = form.length;
  p.how = finish::atomic;
  p.threads = options.threads.value_or(std::min(engine.threads, tuning::group_threads));
  return p;
}

void lay_out_groups(pass& p, const group_needs& needs, const plan_options& options, const engine_traits& engine) {
  std::int64_t blocks_a_unit =
      std::clamp<std::int64_t>(engine.unit_threads / tuning::group_threads, 1, tuning::group_blocks_a_unit);
  if (const std::int64_t bytes = needs.warp_bytes; bytes > 0) {
    const std::int64_t most_warps = std::max<std::int64_t>(1, engine.block_shared_bytes / bytes);
    p.threads = 32 * std::clamp<std::int64_t>(options.threads.value_or(32) / 32, 1, most_warps);
    blocks_a_unit = engine.unit_shared_bytes / (p.threads / 32 * bytes + tuning::block_bytes);
    const std::int64_t most_blocks = std::min<std::int64_t>(needs.most_blocks, engine.unit_blocks);
    blocks_a_unit = std::clamp<std::int64_t>(blocks_a_unit, 1, std::max<std::int64_t>(1, most_blocks));
  }
  const std::int64_t lanes = std::int64_t{engine.units} * blocks_a_unit * p.threads;
  const std::int64_t idle = lanes / std::max<std::int64_t>(1, p.batches);
  const std::int64_t wanted = std::max(needs.least_lanes, std::min(needs.most_lanes, idle));
  p.group = 1;
  while (p.group < 32 && p.group < wanted) p.group *= 2;
  std::int64_t parts = 1;
  if (p.batches > 0 && p.batches <= tuning::most_batches_in_parts) {
    parts = std::min(lanes / p.group / p.batches, p.length / (needs.elements_a_lane * p.group));
  }
  parts = options.parts.value_or(std::max<std::int64_t>(1, parts));
  p.parts = std::clamp<std::int64_t>(parts, 1, std::max<std::int64_t>(1, ceil_div(p.length, p.group)));
  p.tile = p.parts == 1 ? std::max<std::int64_t>(1, p.length) : p.group;
  p.part_length = p.parts == 1 ? p.tile : ceil_div(ceil_div(p.length, p.group), p.parts) * p.group;
  const std::int64_t groups_a_block = p.threads / p.group;
  p.blocks =
      std::min(std::max<std::int64_t>(1, ceil_div(p.batches * p.parts, groups_a_block)), engine.units * blocks_a_unit);
}

}  // namespace multifold::inline v0_1::detail
