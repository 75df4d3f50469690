// Where the results of a call go.
#pragma once

#include "device/dispatch.hpp"
#include "device/moments/finish.cuh"
#include "multifold/cuda/launch.cuh"

namespace multifold::cuda::moments {

inline output output_of(const reduction& what, void* data, bool merge, bool only, const kernels::result_layout& layout,
                        std::uint32_t* status_word) {
  return {data, merge, only, what.op, what.input, what.result, what.correction, what.nan, layout, status_word};
}

inline output output_of(const plan& p, const detail::call& c, std::uint32_t* status_word) {
  const bool only = p.form.results() == 1 && !c.merge;
  output to = output_of(p.what, c.results, c.merge, only, cuda::detail::layout_for(p, c.merge), status_word);
  if (c.count == nullptr) to.reciprocal = multifold::detail::rough_reciprocal(p.form.length, p.what.correction);
  return to;
}

/// A bit a batch, for those that have to be read again.
inline unsigned* prepare_lost(const plan& p, workspace_cursor& space, work_queue& queue) {
  const std::int64_t words = (p.form.results() + 31) / 32;
  auto* const lost = space.take<unsigned>(words);
  queue.clear(lost, static_cast<std::size_t>(words) * sizeof(unsigned));
  return lost;
}

}  // namespace multifold::cuda::moments
