// Groups of an array in device memory by a key for each element, on the caller's stream and in the caller's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::cuda {

/// A key for each element of an array: those of group g have the key g.
struct device_keys {
  const void* keys = nullptr;  // in device memory, from 0 to groups - 1
  dtype type = dtype::i32;     // or i64
  std::int64_t groups = 0;     // up to 2^31
  bool ascend = false;         // whether no key is less than the one before it: then nothing is sorted or copied
};

/// Device memory that reduce_by_key_async takes for an array of `elements`.
/// Memory: that of as many segments as there are groups (segments_workspace_bytes), and 8 bytes a group. Where keys do
///         not ascend, for each element up to 16 bytes and two times its own, too; 8 more for keys of 64 bits, and 8 to
///         24 more for two arrays and for positions. Exact sums and means of f32, f16 and bf16 in any order take 120
///         bytes a group in place of segments' memory, and those of up to 4096 groups half a megabyte at most.
/// Throws: as reduce_by_key_async of such keys; cuda_error where there is no GPU.
MULTIFOLD_EXPORT std::int64_t by_key_workspace_bytes(const reduction& what, std::int64_t elements,
                                                     const device_keys& of, const engine_traits& gpu);

/// Reduces the elements of each group of an array, or of two.
/// Shapes:   `data` is `elements` neighbours in device memory, aligned to their items, and so are keys; `results` holds
///           of.groups * result_bytes(what) bytes, aligned to their dtype (8 bytes for summaries). Positions (argmin,
///           argmax, describe) count from the beginning of the array.
/// Memory:   workspace.size() >= by_key_workspace_bytes, aligned to 256 bytes, and untouched until the work is done;
///           nothing is allocated.
/// Stream:   enqueues memsets and kernels; no synchronisation; safe under capture.
/// Numerics: as reduce_segments_async: what is exact has the same bits in whatever order keys come. The sort is stable,
///           so that ties go to the first position, and what is not exact is the same from run to run on the same GPU.
/// Errors:   a key that is no group, and keys that were said to ascend and do not, are noted in the workspace: see
///           by_key_status_of. Then results hold anything, but nothing outside of them is written, nor outside of the
///           arrays read. Groups that have no value (the minimum of nothing) are noted as well.
/// Throws:   as reduce_segments_async, and unsupported_error for more groups than 2^31. Then nothing is enqueued.
/// Cost:     reads each key and each element once where keys ascend, and for exact sums and means of f32, f16 and bf16
///           in up to 4096 groups in any order: there elements that are more than 18 binades smaller than the greatest
///           one take longer. Else keys are read twice, and sorted with the elements, 8 bits of the number of groups at
///           a time: 1000 groups of f32 move about 45 bytes an element. Of more sums and means, 12 bits are not sorted,
///           unless there are fewer than 64 elements a group.
MULTIFOLD_EXPORT void reduce_by_key_async(const reduction& what, const operands& data, std::int64_t elements,
                                          const device_keys& of, void* results, std::span<std::byte> workspace,
                                          const engine_traits& gpu, cudaStream_t stream);

/// The same in an environment, on the current device. Status: as the worst of by_key_status, and bad_count for a key
/// that is no group, and for keys that were said to ascend and do not.
MULTIFOLD_EXPORT void reduce_by_key_async(const reduction& what, const operands& data, std::int64_t elements,
                                          const device_keys& of, void* results, const environment& env);

/// How the last reduce_by_key_async with this workspace went. Synchronises `stream`.
struct by_key_status {
  status worst = status::ok;
  std::optional<std::int64_t> bad_key = std::nullopt;      // the position of the first one that is no group
  std::optional<std::int64_t> empty_group = std::nullopt;  // the first one of which no element takes part
  bool ascend = true;                                      // unless keys were said to ascend, and do not
};
/// Stream: waits for all work on `stream`. Throws: cuda_error.
MULTIFOLD_EXPORT by_key_status by_key_status_of(std::span<const std::byte> workspace, std::int64_t elements,
                                                const device_keys& of, cudaStream_t stream);

}  // namespace multifold::inline v0_1::cuda
