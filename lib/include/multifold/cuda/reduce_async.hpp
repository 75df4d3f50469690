// Built-in operations on the caller's stream, or in any other queue, and in the caller's memory. Each function is there
// two times: with a workspace of the caller's, and in an environment, which has memory for one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "multifold/axes.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/export.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::cuda {

/// Reduces `data` into `results` by the passes of `p`.
/// Shapes:   `data` is the data pointer of the device array that p.form was made from (or of two of them, for
///           operations that take two), aligned to its items; `results` holds p.form.results() * result_bytes(p.what)
///           bytes, row-major, aligned to their dtype (8 bytes for summaries).
/// Memory:   workspace.size() >= p.workspace_bytes(), aligned to 256 bytes, and untouched until the work is done;
///           nothing is allocated.
/// Stream:   enqueues one kernel a pass (small memsets, and a last kernel where results wait to be put in place) on
///           `stream`; no synchronisation; safe under capture.
/// Numerics: everything is exact and rounded once, but products of floating point, and sums and means if accuracy::fast
///           is asked for: those go along a fixed tree of doubles, so a plan gives the same bits from run to run.
/// Errors:   a result that does not fit (or does not exist) is noted in the workspace: see status_of. Its place is left
///           unwritten, or, where results wait, holds anything.
/// Throws:   shape_error for a workspace that is too small, and for arrays, results or a workspace that are null or
///           misaligned, unsupported_error for a plan that was made for another operation: then nothing is enqueued.
///           cuda_error if a launch fails.
MULTIFOLD_EXPORT void reduce_async(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                                   cudaStream_t stream);
MULTIFOLD_EXPORT void reduce_async(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                                   work_queue& queue);

/// The same in an environment: cuda::reduce_async(p, x, sum, {stream}).
/// Memory: p.workspace_bytes() of env.memory.
/// Stream: as above, behind the allocation; a kernel more writes env.status, where there is one.
/// Cost:   the allocation and its end take a microsecond of the host, by the default pool.
/// Throws: as above, and what env.memory throws; shape_error for a status word that is misaligned.
MULTIFOLD_EXPORT void reduce_async(const plan& p, const operands& data, void* results, const environment& env);

/// The same of a plan that is made for this call, on the current device: of all elements of `array`, or over some axes
/// of it, with what make_reduction says of `op`.
/// Cost:   half a microsecond of the host, or more for arrays of many axes, in which the plan is made.
/// Throws: as make_plan, too; unsupported_error for an operation that takes two arrays.
MULTIFOLD_EXPORT void reduce_async(op_kind op, const array_view& array, void* results, const environment& env = {},
                                   const axes& over = {});

/// Reduces the first *count elements of the only row of `p`, which is made for as many as there may be. `count` is in
/// device memory and is read when the kernels run, so that another kernel may write it, and one captured graph serves
/// all counts.
/// Errors: as reduce_async; a count below 0 or beyond p.form.length is noted as status::bad_count, a
///         minimum of no elements as status::empty.
/// Throws: as reduce_async, shape_error for a `count` that is null or misaligned, and unsupported_error if `p` has
///         several results, or elements that are no neighbours.
MULTIFOLD_EXPORT void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count,
                                           void* results, std::span<std::byte> workspace, cudaStream_t stream);
MULTIFOLD_EXPORT void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count,
                                           void* results, std::span<std::byte> workspace, work_queue& queue);
MULTIFOLD_EXPORT void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count,
                                           void* results, const environment& env);

/// How the last reduce_async with this workspace went. Synchronises `stream`.
/// Throws: cuda_error.
MULTIFOLD_EXPORT status status_of(std::span<const std::byte> workspace, cudaStream_t stream);

/// Merges what `p` makes of one chunk into accumulators that are already there, one a batch of the whole array.
struct chunk_target {
  void* accumulators = nullptr;   // device; set to the identity with fill_identity_async
  std::int64_t first_result = 0;  // where batch 0 of the chunk stands among them
  std::int64_t first_index = 0;   // index in its batch of the chunk's first element
};

/// As reduce_async, but for a part of a larger array: p.form has the chunk's extents, and result strides that count
/// accumulators of the whole.
/// Memory: accumulators of accumulator_bytes(p.what) each, aligned to 16 bytes. They are read and written, so that
///         chunks of one array follow each other on one stream, or wait for each other.
/// Stream, Throws: as reduce_async.
MULTIFOLD_EXPORT void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target,
                                       std::span<std::byte> workspace, cudaStream_t stream);
MULTIFOLD_EXPORT void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target,
                                       std::span<std::byte> workspace, work_queue& queue);
/// Status: ok in any case: what does not fit shows when results are read off.
MULTIFOLD_EXPORT void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target,
                                       const environment& env);

/// The identity of `what` into `count` accumulators.
/// Stream: enqueues one kernel; no synchronisation; safe under capture.
/// Throws: shape_error for accumulators that are null or misaligned, cuda_error if the launch fails.
MULTIFOLD_EXPORT void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count,
                                          cudaStream_t stream);
MULTIFOLD_EXPORT void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count,
                                          work_queue& queue);
MULTIFOLD_EXPORT void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count,
                                          const environment& env);

/// The results of `count` accumulators, each over `length` elements; failures are noted in `status_word`, which is not
/// set otherwise: clear it before.
/// Stream: enqueues one kernel; no synchronisation; safe under capture.
/// Throws: shape_error for accumulators, results or a status word that are null or misaligned, cuda_error if the launch
///         fails.
MULTIFOLD_EXPORT void lower_async(const reduction& what, const void* accumulators, std::int64_t count,
                                  std::int64_t length, void* results, std::uint32_t* status_word, cudaStream_t stream);
MULTIFOLD_EXPORT void lower_async(const reduction& what, const void* accumulators, std::int64_t count,
                                  std::int64_t length, void* results, std::uint32_t* status_word, work_queue& queue);
/// The same with env.status, which is set to ok first.
MULTIFOLD_EXPORT void lower_async(const reduction& what, const void* accumulators, std::int64_t count,
                                  std::int64_t length, void* results, const environment& env);

}  // namespace multifold::inline v0_1::cuda
