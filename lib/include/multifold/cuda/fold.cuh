// Reductions with an operation of the user's own: any struct that satisfies fold_op, compiled into the caller's code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/kernels/result_layout.cuh"
#include "multifold/cuda/launch.cuh"
#include "multifold/cuda/traits.hpp"

namespace multifold::inline v0_1::cuda {

/// What `lower` of an operation returns.
template <fold_op Op>
using fold_result = std::remove_cvref_t<decltype(std::declval<const Op&>().lower(
    std::declval<typename Op::accumulator>(), std::int64_t{}))>;

namespace detail {

// An operation that is not commutative, as fold() on the CPU knows it.
template <class Op>
concept needs_order = requires {
  requires Op::ordered;
};

// Writes what lower() returns to its place in the result, or to where it waits.
template <class Result>
struct typed_output {
  Result* results;
  std::int64_t count;
  kernels::result_layout layout;

  template <class Op>
  __device__ void operator()(const Op& op, std::int64_t batch, typename Op::accumulator value) const {
    results[layout.at(batch)] = op.lower(value, count);
  }
};

// Results that wait are copied byte by byte.
template <class Result>
inline constexpr bool may_wait = std::is_trivially_copyable_v<Result>;

// Refuses what would end a kernel, and the CUDA context with it.
template <class T>
void check_item(const char* what, const T* at, bool unused) {
  if (unused) return;
  if (at == nullptr) throw shape_error(std::string("the ") + what + " has no address: a null pointer was given");
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) return;
  throw shape_error(std::string("the ") + what + " starts at an address that is no multiple of " +
                    std::to_string(alignof(T)) + " bytes");
}

}  // namespace detail

/// A plan for `op` over `axes` of `view`, a device array of op's element type. Operations that say `ordered` do not
/// compile: kernels take elements in an order of their own.
/// Throws: shape_error for axes or extents that do not fit, unsupported_error for forced plans that cannot be.
template <fold_op Op>
requires storage_type<typename Op::value_type> plan make_fold_plan(const Op&, const array_view& view,
                                                                   const std::vector<std::int64_t>& axes,
                                                                   const plan_options& options = {},
                                                                   const engine_traits& engine = device_traits()) {
  static_assert(!detail::needs_order<Op>, "kernels take elements in any order: fold() on the CPU keeps it");
  if (view.type != dtype_of<typename Op::value_type>) {
    throw shape_error("the operation takes " + std::string(name(dtype_of<typename Op::value_type>)) +
                      " elements, and the array holds " + std::string(name(view.type)));
  }
  if (options.how == finish::atomic) {
    throw unsupported_error("finish atomic is for built-in operations: use last-block or next-pass");
  }
  const batches form = normalise(view, axes, element_order::indexed);
  // A plain sum takes the same passes: kernels that any operation runs through, and nothing to be added again.
  const reduction plain = make_reduction(op_kind::sum, view.type, nan_policy::propagate, accuracy::fast);
  plan_options whole = options;
  whole.whole_batches = true;
  // Tiles that have no room for the accumulators of a block are none.
  engine_traits with_room = engine;
  if (tile_block_bytes(sizeof(typename Op::accumulator)) > engine.block_shared_bytes) with_room.block_shared_bytes = 0;
  plan p = make_plan(plain, form, whole, with_room);
  p.engine = engine;
  p.accumulator_bytes = static_cast<std::int64_t>(sizeof(typename Op::accumulator));
  p.waiting_bytes = 0;
  if constexpr (detail::may_wait<fold_result<Op>>) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(fold_result<Op>));
    if (scatters_results(p.form, bytes)) p.waiting_bytes = bytes;
  }
  return p;
}

/// Reduces `data` by `op` along the passes of `p`, which make_fold_plan made for it.
/// Shapes:   `data` is view.data; `results` holds p.form.results() values of op.lower(), in row-major order.
/// Memory:   workspace.size() >= p.workspace_bytes(), aligned to 256 bytes; nothing is allocated.
/// Stream:   enqueues on `stream`; no synchronisation; safe under capture.
/// Numerics: elements meet in a fixed tree that depends on the plan alone: the same bits from run to run.
/// Throws:   shape_error for a workspace that is too small, and for pointers that are null or misaligned;
///           unsupported_error for a plan that was made for another operation; cuda_error if a launch fails.
template <fold_op Op>
void fold_async(const plan& p, const Op& op, const typename Op::value_type* data, fold_result<Op>* results,
                std::span<std::byte> workspace, cudaStream_t stream) {
  detail::check_item("array", data, p.form.elements() == 0);
  detail::check_item("memory for the results", results, p.form.results() == 0);
  using result = fold_result<Op>;
  const bool waits = p.waiting_bytes != 0;
  if (waits && (!detail::may_wait<result> || p.waiting_bytes != static_cast<std::int64_t>(sizeof(result)))) {
    throw unsupported_error("the plan has results of another operation wait");
  }
  stream_queue queue(stream);
  bound_recipe steps(p, recipe_end::fold_results, workspace, queue);
  result* const written = waits ? static_cast<result*>(steps.waiting_results(p)) : results;
  const detail::typed_output<result> output{written, p.form.length, detail::layout_for(p, false)};
  launch(p, op, output, data + p.form.offset, 0, nullptr, steps);
  if constexpr (detail::may_wait<result>) {
    if (waits) detail::place_results(p, written, results, steps);
  }
}

/// The same in an environment: its memory has p.workspace_bytes() for the call. Nothing of it can fail on the device:
/// env.status is ok.
template <fold_op Op>
void fold_async(const plan& p, const Op& op, const typename Op::value_type* data, fold_result<Op>* results,
                const environment& env) {
  write_ok(env);
  const stream_workspace workspace(p.workspace_bytes(), env);
  fold_async(p, op, data, results, workspace.bytes(), env.stream.get());
}

}  // namespace multifold::inline v0_1::cuda
