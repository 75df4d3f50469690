// A plan as work for a queue, for any operation and any way to hand out results.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/cuda/fill_items.hpp"
#include "multifold/cuda/kernels/block_rows.cuh"
#include "multifold/cuda/kernels/partials.cuh"
#include "multifold/cuda/kernels/place_results.cuh"
#include "multifold/cuda/kernels/result_layout.cuh"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/cuda/kernels/tiles.cuh"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/cuda/workspace.hpp"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/merged.hpp"
#include "multifold/plan.hpp"

namespace multifold::cuda {
namespace detail {

inline unsigned grid_for(std::int64_t items, std::int64_t threads) {
  const std::int64_t blocks = (items + threads - 1) / threads;
  return static_cast<unsigned>(std::min<std::int64_t>(blocks, std::int64_t{1} << 20));
}

inline kernels::strided_runs runs_of(const batches& form) {
  kernels::strided_runs runs{};
  if (form.kept.size() > kernels::strided_runs::most || form.reduced.size() > kernels::strided_runs::most) {
    throw unsupported_error("the array needs " + std::to_string(std::max(form.kept.size(), form.reduced.size())) +
                            " runs of elements, and the device engine takes " +
                            std::to_string(kernels::strided_runs::most) + ": copy it densely, or use the host engine");
  }
  runs.kept_count = static_cast<int>(form.kept.size());
  runs.reduced_count = static_cast<int>(form.reduced.size());
  for (std::size_t i = 0; i < form.kept.size(); ++i) {
    runs.kept_extent[i] = form.kept[i].extent;
    runs.kept_stride[i] = form.kept[i].stride;
  }
  for (std::size_t i = 0; i < form.reduced.size(); ++i) {
    runs.reduced_extent[i] = form.reduced[i].extent;
    runs.reduced_stride[i] = form.reduced[i].stride;
  }
  return runs;
}

// Where the kernels of `p` write results, or the accumulators that they merge.
inline kernels::result_layout layout_for(const plan& p, bool merge) {
  const bool wait = p.waiting_bytes > 0 && !merge;
  return wait ? kernels::layout_in_order(p.form.results()) : kernels::layout_of(p.form);
}

/// The last kernel of a plan whose results wait.
template <class Result>
void place_results(const plan& p, const void* waiting, Result* results, work_queue& queue) {
  if (p.form.results() == 0) return;
  using item = kernels::raw_result_of<Result>;
  const placement map = placement_of(p.form, sizeof(Result));
  launch_next_kernel(queue, kernels::place_results<item>, static_cast<unsigned>(map.blocks()), placing_threads, 0,
                     static_cast<const item*>(waiting), reinterpret_cast<item*>(results), map);
}

// All elements that the array has, whichever way its strides go.
template <class T>
kernels::array_range range_of(const tiled_array& of, const T* data) {
  std::int64_t first = 0, last = of.inner - 1;
  for (const std::int64_t reach : {(of.outer - 1) * of.outer_stride, (of.length - 1) * of.row_stride}) {
    (reach < 0 ? first : last) += reach;
  }
  return {reinterpret_cast<const std::byte*>(data + first), reinterpret_cast<const std::byte*>(data + last + 1)};
}

// The same of a slice of the workspace, which takes up a multiple of 16 bytes whatever its elements are.
template <class T>
kernels::array_range range_of_slice(const tiled_array& of, const T* data) {
  const kernels::array_range used = range_of(of, data);
  return {used.first, used.first + (used.end - used.first + 15) / 16 * 16};
}

// One array, or two of one shape.
template <class T>
struct tiled_elements {
  const T* data;
  kernels::array_range range;
  const T* more = nullptr;
  kernels::array_range more_range{};
};

template <class Op, class Output>
void launch_tiles(const pass& at, const tiled_elements<kernels::tile_element<Op>>& from,
                  const kernels::pass_arguments<Op, Output>& args, work_queue& queue) {
  const auto boxes = [](std::int64_t all, std::int64_t of_box) { return (all + of_box - 1) / of_box; };
  const kernels::tile_map map{from.range,
                              from.more_range,
                              at.array.outer,
                              at.array.inner,
                              at.array.outer_stride,
                              at.array.row_stride,
                              boxes(at.array.outer, at.box.outers),
                              boxes(at.array.inner, at.box.columns),
                              at.box.outers,
                              at.box.rows,
                              at.box.columns,
                              at.group,
                              at.box.pitch,
                              at.array.index_step,
                              at.box.turned};
  constexpr int width = kernels::tile_columns_of<Op>, whole_width = kernels::whole_columns_of<Op>;
  // Columns of whole runs are taken one by one where their sums are handed on in parts.
  const bool serves = at.vector == 1 || at.vector == width || (at.vector == whole_width && at.has_whole_runs());
  if (!serves) throw unsupported_error("a plan of tiles was made for another operation");
  auto kernel =
      at.vector == 1 || width == 1 ? kernels::tiles<1, false, Op, Output> : kernels::tiles<width, false, Op, Output>;
  if constexpr (kernels::run_sweeps<Op>::any) {
    const bool leaves = args.partials.data == nullptr || kernels::run_sweeps<Op>::hands_on;
    if (at.has_whole_runs() && leaves && args.output.takes_whole_runs()) {
      kernel = kernels::tiles<1, true, Op, Output>;
      if (at.vector > 1 && at.group == 1) kernel = kernels::tiles<whole_width, true, Op, Output>;
    }
  }
  launch_kernel(queue, kernel, static_cast<unsigned>(at.blocks), static_cast<unsigned>(at.threads),
                static_cast<unsigned>(tile_ring_bytes), from.data, from.more, map, args);
}

// A pass over the input.
template <class Op, class Output>
void launch_first(const pass& at, const batches& form, const typename Op::value_type* data,
                  const kernels::pass_arguments<Op, Output>& args, work_queue& queue) {
  const auto blocks = static_cast<unsigned>(at.blocks);
  const auto threads = static_cast<unsigned>(at.threads);
  switch (at.kind) {
    case kernel::block_rows:
      return launch_kernel(queue, kernels::block_rows<Op, Output>, blocks, threads, 0, data,
                           kernels::short_row_of(data, args, at.blocks, at.threads), form.outer_run.stride, args);
    case kernel::tiles:
      if constexpr (!has_tiled_form<Op>) return launch_tiles(at, {data, range_of(at.array, data)}, args, queue);
      break;
    case kernel::strided:
      return launch_kernel(queue, kernels::strided<Op, Output>, blocks, threads, 0, data, runs_of(form), args);
    case kernel::columns:  // the CPU's
    case kernel::partials:
    case kernel::exact_rows:
    case kernel::exact_blocks:
    case kernel::moment_rows:
    case kernel::moment_groups:
    case kernel::sum_groups: break;
  }
  throw unsupported_error("a plan of " + std::string(name(at.kind)) + " was made for another operation");
}

// Hands the values of an operation's merges to its output.
template <class Output>
struct merged_output {
  Output to;
  template <class Op>
  __device__ void operator()(const merge_of<Op>& merge, std::int64_t batch,
                             const typename Op::accumulator& value) const {
    to(merge.op, batch, value);
  }
};

// The same arguments for another operation on the same accumulators.
template <class Op, class Output, class From>
kernels::pass_arguments<Op, Output> arguments_of(const From& args, const Op& op, const Output& output) {
  return {args.batches,
          args.parts,
          args.length,
          args.tile,
          args.part_length,
          args.form,
          {args.partials.how, args.partials.data, args.partials.arrivals},
          0,
          op,
          output};
}

template <class Op, class Output>
void launch_merges(const pass& at, const typename Op::accumulator* data,
                   const kernels::pass_arguments<Op, Output>& args, work_queue& queue) {
  launch_tiles(at, {data, range_of_slice(at.array, data)},
               arguments_of(args, merge_of<Op>{args.op}, merged_output<Output>{args.output}), queue);
}

// A pass over partial results, of whatever elements.
template <class Elements, class Output>
void launch_partials(const pass& at, const typename Elements::accumulator* data,
                     const kernels::pass_arguments<Elements, Output>& of_elements, work_queue& queue) {
  const auto args = arguments_of(of_elements, multifold::merging(of_elements.op), of_elements.output);
  using Op = std::remove_const_t<decltype(args.op)>;
  if constexpr (!has_tiled_form<Op>) {
    if (at.kind == kernel::tiles) return launch_merges(at, data, args, queue);
  }
  const bool a_thread = kernels::takes_a_thread(at.batches, at.parts, at.length);
  launch_next_kernel(queue, kernels::partials<Op, Output>,
                     a_thread ? grid_for(at.batches, 256) : static_cast<unsigned>(at.blocks),
                     a_thread ? 256 : static_cast<unsigned>(at.threads), 0, data, args);
}

// Memory for the partial results of pass `index`, ready to be written to.
template <class Op>
kernels::partial_results<Op> prepare_partials(const plan& p, std::size_t index, const Op& op, workspace_cursor& space,
                                              work_queue& queue) {
  const pass& at = p.passes[index];
  kernels::partial_results<Op> partials{at.how, nullptr, nullptr};
  if (p.partials(index) == 0) return partials;
  if (at.parts > 1 && at.how != finish::next_pass) {
    partials.arrivals = space.take<unsigned>(at.batches);
    queue.clear(partials.arrivals, static_cast<std::size_t>(at.batches) * sizeof(unsigned));
  }
  partials.data = space.take<typename Op::accumulator>(p.partials(index));
  if constexpr (order_free<Op>) {
    if (at.how == finish::atomic) fill_items(sparse_item_of(op.identity()), partials.data, at.batches, queue);
  }
  return partials;
}

// Calls `pass_of(pass, previous, arguments)` for every pass; `previous` is what the one before left, null for the
// first.
template <class Op, class Output, class PassOf>
void for_each_pass(const plan& p, const Op& op, const Output& output, workspace_cursor space, std::int64_t first_index,
                   const std::int64_t* count, work_queue& queue, const PassOf& pass_of) {
  const typename Op::accumulator* previous = nullptr;
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& at = p.passes[i];
    const kernels::partial_results<Op> partials = prepare_partials<Op>(p, i, op, space, queue);
    const kernels::pass_arguments<Op, Output> args{at.batches, at.parts,       {at.length, i == 0 ? count : nullptr},
                                                   at.tile,    at.part_length, at.form,
                                                   partials,   first_index,    op,
                                                   output};
    pass_of(at, previous, args);
    previous = partials.data;
  }
}

// The passes of a plan that are tiles alone.
template <class Op, class Output>
void launch_chain(const plan& p, const Op& op, const Output& output, const typename Op::value_type* data,
                  workspace_cursor space, std::int64_t first_index, const std::int64_t* count, work_queue& queue) {
  for_each_pass(p, op, output, space, first_index, count, queue,
                [&](const pass& at, const auto* previous, const auto& args) {
                  if (previous == nullptr) launch_tiles(at, {data, range_of(at.array, data)}, args, queue);
                  else launch_merges(at, previous, args, queue);
                });
}

}  // namespace detail

/// Enqueues the passes of `p` for `op`; the last one calls `output(op, batch, accumulator)` on the device once a batch.
/// Shapes: `data` is the first element of the array that p.form was made from; its index in its batch is `first_index`.
///         With a `count`, in device memory, its first *count elements are reduced: p has one row then.
/// Memory: `space` is carved from a workspace of p.workspace_bytes(); nothing is allocated.
/// Work:   a kernel a pass, a memset where blocks are counted.
/// Throws: what the queue throws, unsupported_error for more strided runs than kernels take.
template <fold_op Op, class Output>
void launch(const plan& p, const Op& op, const Output& output, const typename Op::value_type* data,
            workspace_cursor space, std::int64_t first_index, const std::int64_t* count, work_queue& queue) {
  if (p.form.results() == 0) return;
  if constexpr (has_tiled_form<Op>) {
    if (p.passes.front().kind == kernel::tiles) {
      const typename Op::tiled_form tiled{};
      return detail::launch_chain(p, tiled, output, data, space, first_index, count, queue);
    }
  }
  detail::for_each_pass(p, op, output, space, first_index, count, queue,
                        [&](const pass& at, const auto* previous, const auto& args) {
                          if (previous == nullptr) detail::launch_first(at, p.form, data, args, queue);
                          else detail::launch_partials(at, previous, args, queue);
                        });
}

}  // namespace multifold::cuda
