// Wide tables out of files: blocks of neighbouring results, each read from end to end and rounded before the next, so
// that memory need not hold the partial results of all of them.
#pragma once

#include <cstdint>

#include "stream/host/stream.hpp"

namespace multifold::inline v0_1::stream {

/// Whether run_column_blocks is the way: the source is a file, or something else that may be read anywhere, and more
/// results are open at once than a thread's cache holds. Rounded sums, whose bits depend on where they are cut, take it
/// only where memory would not hold all results.
bool worth_column_blocks(const plan& p, const inputs& input, const host_options& options);

/// As run_host.
/// Memory:   memory_bytes, for buffers, partial results, and the wide sums that these may need.
/// Numerics: the bits of run_host.
std::int64_t run_column_blocks(const plan& p, const inputs& input, void* results, const host_options& options);

}  // namespace multifold::inline v0_1::stream
