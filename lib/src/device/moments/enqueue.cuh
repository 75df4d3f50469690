// Moments as work for a queue: which kernels, with which memory.
#pragma once

#include <algorithm>

#include "device/moments/call_output.cuh"
#include "device/moments/groups.cuh"
#include "device/segments/again.cuh"
#include "multifold/cuda/launch.cuh"

namespace multifold::inline v0_1::cuda::moments {

template <storage_type T, moment_set Set>
meeting<T> meeting_of(const plan& p, std::size_t index, const bound_recipe& steps) {
  const pass& at = pass_at(p, index);
  return {steps.slice_of<std::int64_t>(slice_use::words, index, at.batches * moment_words<T, Set>::count),
          steps.slice_of<unsigned>(slice_use::arrivals, index, at.batches),
          steps.slice_of<description_marks<T>>(slice_use::part_extremes, index, at.batches * at.parts)};
}

template <storage_type T>
void enqueue_groups(const plan& p, std::size_t index, const detail::call& c) {
  const pass& at = pass_at(p, index);
  const std::int64_t first = p.form.offset * item_bytes(p.what.input);
  group_arguments<T> args{};
  args.x = static_cast<const std::byte*>(c.data.x) + first;
  args.y = takes_two_arrays(p.what.op) ? static_cast<const std::byte*>(c.data.y) + first : args.x;
  args.element = p.what.input;
  args.group = at.group;
  args.runs = cuda::detail::runs_of(p.form);
  args.shape = {at.batches, {at.length, c.count}, at.parts, c.first_index};
  args.to = output_of(p, c);
  if (index == p.passes.size()) args.only = lost_of(p, c.steps);
  visit_set(p.what.op, [&]<moment_set Set>() {
    args.meet = meeting_of<T, Set>(p, index, c.steps);
    std::int64_t shared = 0;
    if constexpr (floating_storage<T>)
      shared = at.threads / 32 * static_cast<std::int64_t>(sizeof(lane_memory<T, Set>));
    c.steps.launch(step_kind::moment_groups, moment_groups<T, Set>, shared, args);
  });
}

/// The passes behind the first one.
template <storage_type Carrier>
void merge_partials(const plan& p, const detail::call& c, unsigned* lost, const void* partials) {
  visit_set(p.what.op, [&]<moment_set Set>() {
    using Fold = partial_fold<Carrier, Set>;
    using Output = moment_output<Carrier, Set>;
    const Output output{output_of(p, c), lost, {p.form.length, c.count}};
    const auto* previous = static_cast<const typename Fold::accumulator*>(partials);
    for (std::size_t i = 1; i < p.passes.size(); ++i) {
      const pass& at = p.passes[i];
      const auto to = cuda::detail::prepare_partials<Fold>(p, i, Fold{}, c.steps);
      const kernels::pass_arguments<Fold, Output> args{
          at.batches, at.parts, {at.length, nullptr}, at.tile, at.part_length, at.form, to, 0, Fold{}, output};
      cuda::detail::launch_tiles(at, {previous, cuda::detail::range_of_slice(at.array, previous)}, args, c.steps);
      previous = to.data;
    }
  });
}

template <storage_type T>
void lower(const reduction& what, const void* sums, std::int64_t count, void* results, std::uint32_t* status_word,
           work_queue& queue) {
  if (count == 0) return;
  const output to = output_of(what, results, false, false, kernels::layout_in_order(count), status_word);
  launch_kernel(queue, lower_moments<T>, cuda::detail::grid_for(count, group_threads / 32), group_threads, 0, sums,
                moments_of(what.op), count, to);
}

}  // namespace multifold::inline v0_1::cuda::moments

namespace multifold::inline v0_1::cuda::segments {

template <storage_type Carrier>
void enqueue_lost_moments(const segment_call& c) {
  moments::group_arguments<Carrier> args{};
  read_again(args, c);
  args.to = moments::output_of(c);
  visit_set(c.what.op, [&]<moment_set Set>() {
    args.meet = {c.words, c.arrivals, static_cast<description_marks<Carrier>*>(c.extremes)};
    unsigned shared = 0;
    const auto threads = static_cast<unsigned>(c.again.threads);
    if constexpr (floating_storage<Carrier>) shared = threads / 32 * sizeof(moments::lane_memory<Carrier, Set>);
    const auto run = [&](const moments::group_arguments<Carrier>& all) {
      launch_kernel(c.queue, moments::moment_groups<Carrier, Set>, static_cast<unsigned>(c.again.blocks), threads,
                    shared, all);
    };
    run(args);
    if (c.long_ones.room == 0) return;
    moments::group_arguments<Carrier> long_ones = args;
    read_what_was_put_off(long_ones);
    long_ones.meet = {c.long_ones.words, c.long_ones.arrivals,
                      static_cast<description_marks<Carrier>*>(c.long_ones.extremes)};
    run(long_ones);
  });
}

}  // namespace multifold::inline v0_1::cuda::segments

#define MULTIFOLD_MOMENT_MERGES(CARRIER)                                                                       \
  template void multifold::cuda::moments::merge_partials<CARRIER>(const multifold::plan&, const detail::call&, \
                                                                  unsigned*, const void*);

#define MULTIFOLD_MOMENTS(TYPE)                                                                                      \
  template void multifold::cuda::moments::enqueue_groups<TYPE>(const multifold::plan&, std::size_t,                  \
                                                               const detail::call&);                                 \
  template void multifold::cuda::segments::enqueue_lost_moments<TYPE>(const segments::segment_call&);                \
  template void multifold::cuda::moments::lower<TYPE>(const multifold::reduction&, const void*, std::int64_t, void*, \
                                                      std::uint32_t*, work_queue&);
