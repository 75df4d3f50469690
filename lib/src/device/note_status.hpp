// How a call went, from the words that its kernels have left in a workspace to the caller's status word.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "multifold/cuda/environment.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1::cuda::detail {

/// A word of a report: a status, or what stands for `if_set` unless it is 0.
struct noted_word {
  const std::uint32_t* at;
  status if_set = status::ok;
};

inline constexpr int most_noted_words = 8;

/// Enqueues a kernel that writes the worst of `words` to `to`.
void note_status(std::initializer_list<noted_word> words, std::uint32_t* to, cudaStream_t stream);

/// Throws: shape_error for a status word of `env` that is misaligned.
void check_status_word(const environment& env);

/// The same of what a plan has left in `workspace`, to the status word of `env`, if it has one.
void note_plan_status(std::span<const std::byte> workspace, const environment& env);

/// The same of what reduce_segments_async has left in `workspace`, of at least one segment.
void note_segments_status(std::span<const std::byte> workspace, std::uint32_t* to, cudaStream_t stream);

/// The same of what reduce_by_key_async has left there for so many groups.
void note_by_key_status(std::span<const std::byte> workspace, std::int64_t groups, std::uint32_t* to,
                        cudaStream_t stream);

}  // namespace multifold::inline v0_1::cuda::detail
