// Both engines on one array: CPU threads and the GPU take units of it from one queue.
#pragma once

#include "multifold/plan.hpp"
#include "stream/host/stream.hpp"

namespace multifold::inline v0_1::stream {

/// Whether the two engines can share an array of `form` without a trace in the bits of the results.
bool can_be_shared(const reduction& what, const batches& form);

/// Whether they also can at little cost: accumulators that have to be brought together are few beside the elements.
bool is_worth_sharing(const reduction& what, const batches& form);

/// Runs the reduction of `p`, whose engine is the current device, over `input`, on the GPU and on options.threads of
/// the CPU. Where the GPU fails, the CPU does its part again, and the note says so.
/// Shapes:   can_be_shared(p.what, p.form).
/// Memory:   memory_bytes as in run_device; but sources are read into buffers of both engines, which take half of it
///           each. On the host, accumulators of every result where the array is a single slice, or a few large ones.
/// Numerics: the bits of either engine alone, however the array was shared.
/// Throws:   as run_host; unsupported_error for other reductions, for sources without random access or of unknown
///           length, and for a transfer out of pinned memory if the array is elsewhere.
/// Cost:     reads each element once.
streamed run_shared(const plan& p, const inputs& input, void* results, const host_options& options = {});

}  // namespace multifold::inline v0_1::stream
