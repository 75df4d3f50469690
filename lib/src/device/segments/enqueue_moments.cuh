// Moments of segments as work for a queue.
#pragma once

#include "device/moments/call_output.cuh"
#include "device/moments/described_lanes.cuh"
#include "device/moments/short_integers.cuh"
#include "device/moments/tiles/output.cuh"
#include "device/moments/tiles/short_moments.cuh"
#include "device/segments/enqueue.cuh"

namespace multifold::inline v0_1::cuda::segments {

template <storage_type T>
void enqueue_moments(const segment_call& c) {
  visit_set(c.what.op, [&]<moment_set Set>() {
    using Fold = moments::moment_fold<T, Set>;
    const moments::moment_output<partial_carrier_of<T>, Set> output{moments::output_of(c), c.lost, {0, nullptr}};
    Fold fold;
    if constexpr (!floating_storage<T>) fold.kind = integer_kind_of(c.what.input);
    launch(c, fold, output);
  });
  enqueue_lost_moments<moments::group_carrier_of<T>>(c);
}

}  // namespace multifold::inline v0_1::cuda::segments

#define MULTIFOLD_MOMENTS_OF_SEGMENTS(TYPE) \
  template void multifold::cuda::segments::enqueue_moments<TYPE>(const multifold::cuda::segments::segment_call&);
