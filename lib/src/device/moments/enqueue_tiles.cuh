// Moments of batches in tiles, as work for a queue: the first pass, which elements' dtypes have kernels of their own
// for.
#pragma once

#include "device/moments/call_output.cuh"
#include "device/moments/described_lanes.cuh"
#include "device/moments/parts/part_lanes.cuh"
#include "device/moments/parts/part_sums.cuh"
#include "device/moments/short_integers.cuh"
#include "device/moments/tiles/output.cuh"
#include "device/moments/tiles/short_moments.cuh"
#include "device/moments/tiles/tile_moments.cuh"
#include "multifold/cuda/launch.cuh"
#include "plan/layouts/moment.hpp"

namespace multifold::inline v0_1::cuda::moments {

/// In one look, if that is the next step of the recipe.
template <storage_type T, moment_set Set>
bool enqueued_in_parts(const plan& p, const detail::call& c, const output_of_parts<T, Set>& output, const T* x,
                       const T* y) {
  const auto layout = multifold::detail::parts_of_moments(p, recipe_end::results);
  if (!layout || c.steps.next() != layout->kind) return false;
  typename gathered<T, Set>::fold kind;
  if constexpr (!floating_storage<T>) kind.kind = integer_kind_of(p.what.input);
  auto* const meet = c.steps.slice_of<typename gathered<T, Set>::part>(slice_use::partials, 0, layout->meetings);
  auto* const arrivals = c.steps.slice_of<unsigned>(slice_use::arrivals, 0, layout->counters);
  if (layout->kind == step_kind::part_sums) {
    const part_arguments<T, Set> args{
        x,      y,   p.form.outer_run.stride, p.form.results(), {p.form.length, c.count}, layout->team, meet, arrivals,
        output, kind};
    c.steps.launch(step_kind::part_sums, part_sums<T, Set>, 0, args);
  } else if constexpr (multifold::detail::has_lanes(floating_storage<T>, reads_two_arrays(Set) ? 2 : 1, sizeof(T))) {
    const auto terms = part_lanes_of<T, Set>::terms_of(layout->walk);
    const lane_arguments<T, Set> args{x, y, p.form.length, layout->walk, terms, meet, arrivals, output, kind};
    c.steps.launch(step_kind::part_lanes, part_lanes<T, Set>, 0, args);
  }
  return true;
}

/// Batches in tiles, of elements that T carries. What they are not certain of is left to enqueue_groups.
template <storage_type T>
void enqueue_tiles(const plan& p, const detail::call& c) {
  using carrier = partial_carrier_of<T>;
  unsigned* const lost = lost_of(p, c.steps);
  const auto* const x = static_cast<const T*>(c.data.x) + p.form.offset;
  const pass& first = p.passes.front();
  visit_set(p.what.op, [&]<moment_set Set>() {
    using Fold = moment_fold<T, Set>;
    using Output = moment_output<carrier, Set>;
    const auto* const y = reads_two_arrays(Set) ? static_cast<const T*>(c.data.y) + p.form.offset : x;
    Output output{output_of(p, c), lost, {p.form.length, c.count}};
    const auto& to = output.to;
    output.in_order = !to.merge && !to.only && to.layout.count == 1 && to.layout.stride[0] == 1 &&
                      (!floating_storage<T> || to.result == p.what.input);
    if (enqueued_in_parts<T, Set>(p, c, output, x, y)) return;
    Fold fold;
    if constexpr (floating_storage<T>) fold.exact = to.merge;
    else fold.kind = integer_kind_of(p.what.input);
    const auto partials = cuda::detail::prepare_partials<Fold>(p, 0, fold, c.steps);
    const kernels::pass_arguments<Fold, Output> args{
        first.batches, first.parts, {first.length, c.count}, first.tile, first.part_length,
        first.form,    partials,    c.first_index,           fold,       output};
    const auto range = [&](const T* data) { return cuda::detail::range_of(first.array, data); };
    cuda::detail::launch_tiles(first, {x, range(x), y, range(y)}, args, c.steps);
    merge_partials<carrier>(p, c, lost, partials.data);
  });
  enqueue_groups<group_carrier_of<T>>(p, p.passes.size(), c);
}

}  // namespace multifold::inline v0_1::cuda::moments

#define MULTIFOLD_MOMENT_TILES(TYPE) \
  template void multifold::cuda::moments::enqueue_tiles<TYPE>(const multifold::plan&, const detail::call&);
