// Exact sums of batches of any strides, as lanes take them in one look. See docs/exact-sums.md, 14.
#pragma once

#include "device/exact/output.cuh"
#include "device/moments/parts/part_lanes.cuh"
#include "multifold/cuda/launch.cuh"
#include "plan/layouts/exact.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Sums that are known well enough go to plain results; others are added again.
template <floating_storage T>
struct lane_output {
  exact_output<T> to;

  template <floating_storage>
  __device__ __forceinline__ bool store_if_sure(std::int64_t batch, std::int64_t,
                                                const moments::near_totals& of) const {
    const multifold::detail::near_value& sum = of.x;
    if (sum.high == 0 && sum.error == 0) return to.store_zero(batch, of.minus_x);
    if (of.up != 0) return to.store_far(batch, sum, of.up);
    return to.store_near(batch, sum);
  }
  __device__ void operator()(kernels::no_value, std::int64_t batch, const moments::near_totals& of) const {
    if (of.lost || !store_if_sure<T>(batch, 0, of)) to.note_lost(batch);
  }
};

/// If that is the next step of the recipe.
template <floating_storage T>
bool enqueued_in_lanes(const plan& p, const exact_output<T>& output, const T* data, bound_recipe& steps) {
  using moments::lane_arguments, moments::part_lanes, moments::part_lanes_of;
  constexpr moment_set set = moment_set::absolute;
  const auto layout = multifold::detail::parts_of_sums(p, recipe_end::results);
  if (!layout || steps.next() != step_kind::part_lanes) return false;
  const lane_arguments<T, set, lane_output<T>> args{
      data,
      data,
      p.form.length,
      layout->walk,
      part_lanes_of<T, set, lane_output<T>>::terms_of(layout->walk),
      steps.slice_of<moment_part<set>>(slice_use::partials, 0, layout->meetings),
      steps.slice_of<unsigned>(slice_use::arrivals, 0, layout->counters),
      {output},
      {}};
  steps.launch(step_kind::part_lanes, part_lanes<T, set, lane_output<T>>, 0, args);
  return true;
}

}  // namespace multifold::inline v0_1::cuda::exact
