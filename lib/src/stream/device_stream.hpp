// The chunk pipeline of the GPU engine: reduces a source of any size in bounded pinned and device memory.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "stream/host_stream.hpp"

namespace multifold::stream {

/// Runs the reduction of `p` over `input`, like run_host, on the current CUDA device.
/// Shapes:   p.form has to be rows or columns (streams_to_device).
/// Memory:   at most memory_bytes of pinned slots, as much on the device, and one accumulator a result there.
/// Numerics: the same bits for any number of threads.
/// Throws:   as run_host, and cuda_error, and unsupported_error for another form.
/// Cost:     reads each element once, copies it once; reading, copying and reducing overlap.
std::int64_t run_device(const plan& p, const inputs& input, void* results, const host_options& options = {});

}  // namespace multifold::stream
