// What the kernels of segments are told of a call.
#pragma once

#include "device/instance.cuh"
#include "device/segments/call.hpp"

namespace multifold::inline v0_1::cuda::segments {

inline cuda::detail::built_in_output output_of(const segment_call& c) {
  cuda::detail::built_in_output to{};
  to.data = c.results;
  to.plain = to.in_order = cuda::detail::is_plain(c.what, 1);
  to.needs_elements = !has_identity(c.what.op) && !c.what.initial.given;
  to.op = c.what.op;
  to.result = c.what.result;
  to.layout = kernels::layout_in_order(c.count);
  to.status_word = c.status_word;
  to.initial = c.what.initial;
  return to;
}

}  // namespace multifold::inline v0_1::cuda::segments
