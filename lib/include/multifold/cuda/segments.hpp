// Segments of an array in device memory, on the caller's stream and in the caller's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/export.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::cuda {

/// `count` segments of an array: segment i is [offsets[i], offsets[i + 1]).
struct device_segments {
  const void* offsets = nullptr;  // count + 1 of them in device memory, which ascend
  dtype type = dtype::i64;        // or i32
  std::int64_t count = 0;
};

/// Device memory that reduce_segments_async takes for `count` segments of an array of `elements` on a GPU with these
/// traits: some hundred kilobytes and a bit a segment; where long segments may be read again, some megabytes more, and
/// tens of them for descriptions.
MULTIFOLD_EXPORT std::int64_t segments_workspace_bytes(const reduction& what, std::int64_t elements, std::int64_t count,
                                                       const engine_traits& gpu);

/// Reduces every segment of an array, or of two.
/// Shapes:   `data` is `elements` neighbours in device memory, aligned to their items; `results` holds of.count *
///           result_bytes(what) bytes, aligned to their dtype (8 bytes for summaries). Indices and positions count from
///           the beginning of a segment.
/// Memory:   workspace.size() >= segments_workspace_bytes, aligned to 256 bytes, and untouched until the work is done;
///           nothing is allocated.
/// Stream:   enqueues a memset and two to four kernels; no synchronisation; safe under capture.
/// Numerics: as reduce_async. Sums of accuracy::fast, and products, are the same from run to run on the same GPU.
/// Errors:   offsets that fall, or leave the array, are noted in the workspace: see segments_status_of. Then results
///           hold anything, but nothing outside of them is written, nor outside of the array read. Segments that have
///           no value (the minimum of nothing) are noted as status::empty, as reduce_async notes them.
/// Throws:   shape_error for a workspace that is too small, and for memory that is null or misaligned;
///           unsupported_error for offsets of another dtype, and for a real number as an integer. Then nothing is
///           enqueued. cuda_error if a launch fails.
/// Cost:     reads each element and each offset once. Work is shared by elements and segments together, so it does not
///           matter how long which are.
MULTIFOLD_EXPORT void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                                            const device_segments& of, void* results, std::span<std::byte> workspace,
                                            const engine_traits& gpu, work_queue& queue);
MULTIFOLD_EXPORT void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                                            const device_segments& of, void* results, std::span<std::byte> workspace,
                                            const engine_traits& gpu, cudaStream_t stream);

/// The same in an environment, on the current device. Status: as the worst of segments_status, and bad_count for an
/// offset that falls, or leaves the array.
MULTIFOLD_EXPORT void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                                            const device_segments& of, void* results, const environment& env);

/// How the last reduce_segments_async with this workspace went. Synchronises `stream`.
struct segments_status {
  status worst = status::ok;
  std::optional<std::int64_t> bad_offset = std::nullopt;  // the first one that falls, or leaves the array
};
/// Stream: waits for all work on `stream`. Throws: cuda_error.
MULTIFOLD_EXPORT segments_status segments_status_of(std::span<const std::byte> workspace, std::int64_t count,
                                                    cudaStream_t stream);

}  // namespace multifold::inline v0_1::cuda
