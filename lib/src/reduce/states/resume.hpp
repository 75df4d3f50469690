// Sums of sources that leave checkpoints, and go on from them.
#pragma once

#include <cstdint>
#include <functional>

#include "multifold/reduce.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {

/// Throws unsupported_error unless `input` can be read from any place on, and as one array, and the interval is one.
void check_resumable(const source& input, const reduce_options& options);

/// Throws unsupported_error unless `r` is one exact sum.
void refuse_checkpoint_of(const request& r);

/// Throws unsupported_error if a checkpoint is asked of anything but one source.
void refuse_checkpoint(const reduce_options& options);

/// The elements of the range that follows one of `count`, which `took` so many seconds: as many as should take
/// `seconds`, but a multiple of `least`, or `most`.
std::int64_t next_range(std::int64_t count, double took, double seconds, std::int64_t least, std::int64_t most);

/// Sums one range into `state`, with these options.
using sum_range = std::function<void(source& range, std::byte* state, const reduce_options& options)>;

/// Sums `input` into `state` by one range after the other, with a checkpoint behind each, starting where the one that
/// options.checkpoint names has come to. Returns the number of elements that this one had.
/// Throws: what `sum` throws; io_error; format_error for files that are no checkpoint, or another source's.
std::int64_t sum_with_checkpoints(const request& r, source& input, std::byte* state, const reduce_options& options,
                                  const sum_range& sum);

}  // namespace multifold::inline v0_1::detail
