// A plan as work for a queue, for any operation and any way to hand out results.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/cuda/bound_recipe.hpp"
#include "multifold/cuda/fill_items.hpp"
#include "multifold/cuda/kernels/columns.cuh"
#include "multifold/cuda/kernels/partials.cuh"
#include "multifold/cuda/kernels/place_results.cuh"
#include "multifold/cuda/kernels/result_layout.cuh"
#include "multifold/cuda/kernels/rows/block_rows.cuh"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/cuda/kernels/tiles.cuh"
#include "multifold/ops/any_element.hpp"
#include "multifold/ops/merged.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::cuda {
namespace detail {

inline unsigned grid_for(std::int64_t items, std::int64_t threads) {
  return static_cast<unsigned>(item_blocks(items, threads));
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
void place_results(const plan& p, const void* waiting, Result* results, bound_recipe& steps) {
  if (p.form.results() == 0) return;
  using item = kernels::raw_result_of<Result>;
  steps.launch(step_kind::place_results, kernels::place_results<item>, 0, static_cast<const item*>(waiting),
               reinterpret_cast<item*>(results), placement_of(p.form, sizeof(Result)));
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
                  const kernels::pass_arguments<Op, Output>& args, bound_recipe& steps) {
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
  step_kind kind = step_kind::tiles;
  if constexpr (kernels::sum_kernels<Op>::any) {
    using kernels_of = kernels::sum_kernels<Op>;
    kind = steps.next();
    if (kind == step_kind::tile_sums) kernel = kernels_of::template of_tiles<Output>;
    else if (kind == step_kind::row_sums) kernel = kernels_of::template of_rows<Output>;
    else kind = step_kind::tiles;
  }
  const std::int64_t ring = kind == step_kind::row_sums ? 0 : tile_ring_bytes;
  steps.launch(kind, kernel, ring, from.data, from.more, map, args);
}

template <class Op, class Output>
void launch_columns(const pass& at, const typename Op::value_type* data,
                    const kernels::pass_arguments<Op, Output>& args, bound_recipe& steps) {
  constexpr std::int64_t item = sizeof(typename Op::value_type);
  constexpr int width = walked_columns(item);
  if (at.vector != width) throw unsupported_error("a plan of columns was made for another operation");
  const std::int64_t boxes = (at.array.inner + at.box.columns - 1) / at.box.columns;
  const kernels::column_map map{range_of(at.array, data),     at.array.inner,
                                at.array.outer_stride * item, at.array.row_stride * item,
                                at.array.index_step,          static_cast<int>(boxes),
                                static_cast<int>(at.parts),   static_cast<int>(at.array.outer * boxes * at.parts),
                                at.box.columns / width,       at.group};
  steps.launch(step_kind::columns, kernels::columns<Op, Output>, 0, data, map, args);
}

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

template <class Op>
inline constexpr bool is_product =
    std::is_same_v<typename Op::accumulator, wide_integer> || std::is_same_v<typename Op::accumulator, scaled_product>;

// The same arguments for the kernel of all elements with the accumulators of Op, if there is one.
template <class Op, class Output>
auto over_any_element(const kernels::pass_arguments<Op, Output>& args) {
  if constexpr (requires { multifold::over_any_element(args.op); }) {
    auto any = arguments_of(args, multifold::over_any_element(args.op), args.output);
    any.first_index = args.first_index;
    return any;
  } else {
    return args;
  }
}

// A pass over the input.
template <class Op, class Output>
void launch_first(const pass& at, const batches& form, const typename Op::value_type* data,
                  const kernels::pass_arguments<Op, Output>& args, bound_recipe& steps) {
  const step_kind kind = steps.next();
  if (kind == step_kind::block_rows) {
    // The loops of products leave no registers for each other.
    const auto any = [&] {
      if constexpr (is_product<Op>) return args;
      else return over_any_element(args);
    }();
    return steps.launch(kind, kernels::block_rows<decltype(any.op), Output>, 0, static_cast<const void*>(data),
                        kernels::short_row_of(data, any, at.blocks, at.threads), form.outer_run.stride, any);
  }
  if constexpr (!has_tiled_form<Op>) {
    if (kind == step_kind::tiles) return launch_tiles(at, {data, range_of(at.array, data)}, args, steps);
  }
  // Outputs that know results in the order of batches are those of built-in operations, which plans know, too.
  if constexpr (kernels::has_columns<Op> && kernels::stores_in_order<Output, Op>) {
    if (kind == step_kind::columns) return launch_columns(at, data, args, steps);
  }
  if (kind == step_kind::strided) {
    const auto any = over_any_element(args);
    return steps.launch(kind, kernels::strided<decltype(any.op), Output>, 0, static_cast<const void*>(data),
                        runs_of(form), any);
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

template <class Op, class Output>
void launch_merges(const pass& at, const typename Op::accumulator* data,
                   const kernels::pass_arguments<Op, Output>& args, bound_recipe& steps) {
  launch_tiles(at, {data, range_of_slice(at.array, data)},
               arguments_of(args, merge_of<Op>{args.op}, merged_output<Output>{args.output}), steps);
}

// A pass over partial results, of whatever elements.
template <class Elements, class Output>
void launch_partials(const pass& at, const typename Elements::accumulator* data,
                     const kernels::pass_arguments<Elements, Output>& of_elements, bound_recipe& steps) {
  const auto args = arguments_of(of_elements, multifold::merging(of_elements.op), of_elements.output);
  using Op = std::remove_const_t<decltype(args.op)>;
  if constexpr (!has_tiled_form<Op>) {
    if (steps.next() == step_kind::tiles) return launch_merges(at, data, args, steps);
  }
  steps.launch(step_kind::partials, kernels::partials<Op, Output>, 0, data, args);
}

// Memory for the partial results of pass `index`, ready to be written to.
template <class Op>
kernels::partial_results<Op> prepare_partials(const plan& p, std::size_t index, const Op& op, bound_recipe& steps) {
  const pass& at = p.passes[index];
  const kernels::partial_results<Op> partials{
      at.how, steps.slice_of<typename Op::accumulator>(slice_use::partials, index, p.partials(index)),
      steps.slice_of<unsigned>(slice_use::arrivals, index, at.batches)};
  if constexpr (order_free<Op>) {
    if (steps.next() == step_kind::fill_identity) fill_items(identity_item_of(op), partials.data, at.batches, steps);
  }
  return partials;
}

// Calls `pass_of(pass, previous, arguments)` for every pass; `previous` is what the one before left, null for the
// first.
template <class Op, class Output, class PassOf>
void for_each_pass(const plan& p, const Op& op, const Output& output, std::int64_t first_index,
                   const std::int64_t* count, bound_recipe& steps, const PassOf& pass_of) {
  const typename Op::accumulator* previous = nullptr;
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& at = p.passes[i];
    const kernels::partial_results<Op> partials = prepare_partials<Op>(p, i, op, steps);
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
                  std::int64_t first_index, const std::int64_t* count, bound_recipe& steps) {
  for_each_pass(p, op, output, first_index, count, steps, [&](const pass& at, const auto* previous, const auto& args) {
    if (previous == nullptr) launch_tiles(at, {data, range_of(at.array, data)}, args, steps);
    else launch_merges(at, previous, args, steps);
  });
}

}  // namespace detail

/// Enqueues the passes of `p` for `op`; the last one calls `output(op, batch, accumulator)` on the device once a batch.
/// Shapes: `data` is the first element of the array that p.form was made from; its index in its batch is `first_index`.
///         With a `count`, in device memory, its first *count elements are reduced: p has one row then.
/// Work:   the steps of p's recipe, from the next one on.
/// Throws: what the queue throws, unsupported_error for more strided runs than kernels take, or for a plan of another
///         operation.
template <fold_op Op, class Output>
void launch(const plan& p, const Op& op, const Output& output, const typename Op::value_type* data,
            std::int64_t first_index, const std::int64_t* count, bound_recipe& steps) {
  if (p.form.results() == 0) return;
  if constexpr (has_tiled_form<Op>) {
    if (p.passes.front().kind == kernel::tiles) {
      const typename Op::tiled_form tiled{};
      return detail::launch_chain(p, tiled, output, data, first_index, count, steps);
    }
  }
  detail::for_each_pass(p, op, output, first_index, count, steps,
                        [&](const pass& at, const auto* previous, const auto& args) {
                          if (previous == nullptr) detail::launch_first(at, p.form, data, args, steps);
                          else detail::launch_partials(at, previous, args, steps);
                        });
}

}  // namespace multifold::inline v0_1::cuda
