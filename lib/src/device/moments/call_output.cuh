// Where the results of a call go.
#pragma once

#include "device/dispatch.hpp"
#include "device/moments/finish.cuh"
#include "device/segments/call.hpp"
#include "multifold/cuda/launch.cuh"
#include "multifold/exact/near/rough.hpp"

namespace multifold::inline v0_1::cuda::moments {

inline output output_of(const reduction& what, void* data, bool merge, bool only, const kernels::result_layout& layout,
                        std::uint32_t* status_word) {
  return {data, merge, only, what.op, what.input, what.result, what.correction, what.nan, layout, status_word};
}

inline output output_of(const plan& p, const detail::call& c) {
  const bool only = p.form.results() == 1 && !c.merge;
  output to = output_of(p.what, c.results, c.merge, only, cuda::detail::layout_for(p, c.merge), c.steps.status());
  if (c.count == nullptr) to.reciprocal = multifold::detail::rough_reciprocal(p.form.length, p.what.correction);
  return to;
}

inline output output_of(const segments::segment_call& c) {
  return output_of(c.what, c.results, false, false, kernels::layout_in_order(c.count), c.status_word);
}

/// A bit a batch, for those that have to be read again; null where a plan has none.
inline unsigned* lost_of(const plan& p, const bound_recipe& steps) {
  return steps.slice_of<unsigned>(slice_use::lost, p.passes.size(), (p.form.results() + 31) / 32);
}

}  // namespace multifold::inline v0_1::cuda::moments
