// Exact sums as work for a queue: which kernels, with which memory.
#pragma once

#include "device/dispatch.hpp"
#include "device/exact/block_sums.cuh"
#include "device/exact/half_sums.cuh"
#include "device/exact/lanes/lane_totals.cuh"
#include "device/exact/output.cuh"
#include "device/exact/rows/bin_rows.cuh"
#include "device/exact/rows/pair_rows.cuh"
#include "device/exact/rows/warp_rows.cuh"
#include "device/exact/rows/wide_rows.cuh"
#include "device/exact/run_sums.cuh"
#include "multifold/cuda/launch.cuh"

namespace multifold::inline v0_1::cuda::exact {

/// Sums a batch and counters are null where the plan has none.
template <floating_storage T>
row_arguments<exact_output<T>> prepare_rows(const plan& p, const exact_output<T>& output, const bound_recipe& steps) {
  const pass& at = p.passes.front();
  row_arguments<exact_output<T>> args{};
  args.output = output;
  args.batches = at.batches;
  args.length = output.to.count;
  args.parts = at.parts;
  args.row_stride = p.form.outer_run.stride;
  args.nan = p.what.nan;
  const std::int64_t step = std::int64_t{at.threads} * vectors_in_flight * kernels::vector_elements<T>;
  args.steps =
      static_cast<int>(at.parts > 1 ? at.tile / step : exact_tile_vectors(p.what.input, at.length) / vectors_in_flight);
  const std::int64_t sums = std::is_same_v<T, double> ? at.batches : at.batches * at.parts;
  args.words = steps.slice_of<std::int64_t>(slice_use::words, 0, sums * words<T>::count);
  args.arrivals = steps.slice_of<unsigned>(slice_use::arrivals, 0, at.batches);
  args.marked = steps.slice_of<unsigned>(slice_use::marked, 0, at.batches + 2);
  args.claims = steps.slice_of<unsigned>(slice_use::claims, 0, at.batches);
  return args;
}

template <floating_storage T>
void enqueue_rows(const plan& p, const exact_output<T>& output, const T* data, bound_recipe& steps) {
  const pass& at = p.passes.front();
  const auto args = prepare_rows(p, output, steps);
  if constexpr (std::is_same_v<T, double>) {
    const std::int64_t tiles = exact_tiles(at.length, at.threads);
    auto* const marks = steps.slice_of<unsigned char>(slice_use::tile_marks, 0, at.batches * tiles);
    const auto first = args.steps == 3 ? pair_rows<3, exact_output<T>> : pair_rows<9, exact_output<T>>;
    steps.launch(step_kind::pair_rows, first, 0, data, args, marks);
    const tile_marks all{marks, tiles, args.steps * vectors_in_flight * at.threads};
    const bool whole = all.tile % wide_step == 0;
    const auto second = whole ? wide_rows<true, exact_output<T>> : wide_rows<false, exact_output<T>>;
    steps.launch(step_kind::wide_rows, second, wide_shared_bytes, data, args, all);
  } else {
    steps.launch(step_kind::bin_rows, bin_rows<T, exact_output<T>>, bin_rows_shared_bytes(at.threads), data, args);
    steps.launch(step_kind::bin_parts, bin_parts<T, exact_output<T>>, 0, args);
  }
}

/// Arrays that one wave of blocks reads.
template <floating_storage T>
void enqueue_blocks(const plan& p, const exact_output<T>& output, const T* data, bound_recipe& steps) {
  const pass& at = p.passes.front();
  block_arguments<T, exact_output<T>> args{};
  args.output = output;
  if (output.to.plain && p.what.op == op_kind::sum && output.to.layout.count <= 1) {
    args.sums = static_cast<T*>(output.to.data);
    args.sum_stride = output.to.layout.stride[0];
    args.status_word = output.to.only ? output.to.status_word : nullptr;
  }
  args.length = output.to.count;
  args.parts = static_cast<int>(at.parts);
  args.part_vectors =
      static_cast<int>((at.part_length + kernels::vector_elements<T> - 1) / kernels::vector_elements<T>);
  args.row_stride = p.form.outer_run.stride;
  args.nan = p.what.nan;
  const bool whole = args.length.said == nullptr && at.length > 0 && at.length % kernels::vector_elements<T> == 0 &&
                     reinterpret_cast<std::uintptr_t>(data) % 128 == 0;
  if (at.batches == 1 && whole && (at.parts == 1 || at.how == finish::next_pass)) {
    args.vectors = static_cast<int>(at.length / kernels::vector_elements<T>);
  }
  quick_row quick{};
  if constexpr (sizeof(T) <= 4) {
    constexpr int width = kernels::vector_elements<T>;
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (at.batches == 1 || p.form.outer_run.stride % width == 0);
    // A plan that was resized has more threads than its rows ask for.
    const bool at_once = at.parts == 1 && at.threads <= quick_threads &&
                         args.length.most <= std::int64_t{quick_vectors} * width * at.threads;
    if (args.sums != nullptr && at_once && aligned) quick = quick_row_of<T>(args.length.most);
  }
  args.partials = steps.slice_of<fixed_sum>(slice_use::partials, 0, at.batches * at.parts);
  args.words = steps.slice_of<std::int64_t>(slice_use::words, 0, at.batches * at.parts * words<T>::count);
  args.arrivals = steps.slice_of<unsigned>(slice_use::arrivals, 0, at.batches);
  steps.launch(step_kind::block_sums, block_sums<T, exact_output<T>>, 0, data, quick, args);
  if (p.passes.size() > 1) steps.launch(step_kind::block_parts, block_parts<T, exact_output<T>>, 0, args);
}

/// Batches that passes lost, of elements that Carrier carries: in sum_groups.cuh, which instances of carriers include.
template <floating_storage Carrier>
void enqueue_again(const plan& p, const built_in_output& to, const void* data, const lost_batches& lost,
                   bound_recipe& steps);

/// Any batches: gathered in pairs, and added again where those were lost.
template <floating_storage T>
void enqueue_pairs(const plan& p, exact_output<T> output, const T* data, bound_recipe& steps) {
  if (!p.again) return launch(p, pair_sum<T>{}, output, data, 0, output.to.count.said, steps);
  const std::int64_t batches = p.form.results();
  const std::size_t again = p.passes.size();
  output.lost = {steps.slice_of<unsigned>(slice_use::lost, again, (batches + 31) / 32),
                 steps.slice_of<std::int64_t>(slice_use::words, again, batches * words<T>::count),
                 steps.slice_of<unsigned>(slice_use::arrivals, again, batches)};
  if (!enqueued_in_lanes(p, output, data, steps))
    visit_gathered<T>(p.what.nan, [&](auto fold) { launch(p, fold, output, data, 0, output.to.count.said, steps); });
  enqueue_again<carrier_of<T>>(p, output.to, data, output.lost, steps);
}

/// The passes of `p`, which gathers exactly.
template <floating_storage T>
void enqueue(const plan& p, const built_in_output& to, const T* data, bound_recipe& steps) {
  if (p.form.results() == 0) return;
  const bool in_order = to.plain && !to.only && to.layout.count == 1 && to.layout.stride[0] == 1;
  const exact_output<T> output{to, {}, in_order};
  if (p.passes.front().kind == kernel::exact_rows) {
    enqueue_rows(p, output, data, steps);
  } else if constexpr (std::is_same_v<T, f16>) {
    visit_gathered<T>(p.what.nan, [&](auto fold) { launch(p, fold, output, data, 0, to.count.said, steps); });
  } else if (p.passes.front().kind == kernel::exact_blocks) {
    enqueue_blocks(p, output, data, steps);
  } else {
    enqueue_pairs(p, output, data, steps);
  }
}

/// Sums in memory to results, a thread each.
template <floating_storage T>
__global__ void __launch_bounds__(256)
    lower_sums(const exact_sum<T>* sums, std::int64_t count, const __grid_constant__ exact_output<T> output) {
  const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    output.deliver(i, sums[i]);
  }
}

template <floating_storage T>
void lower_each(const exact_sum<T>* sums, std::int64_t count, const exact_output<T>& output, work_queue& queue) {
  launch_kernel(queue, lower_sums<T>, cuda::detail::grid_for(count, 256), 256, 0, sums, count, output);
}

}  // namespace multifold::inline v0_1::cuda::exact
