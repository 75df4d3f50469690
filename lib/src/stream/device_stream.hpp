// The chunk pipeline of the GPU engine: reduces an array of any size in bounded pinned and device memory.
#pragma once

#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "stream/host_stream.hpp"

namespace multifold::stream {

/// Runs the reduction of `p` over `input`, like run_host, on the current CUDA device.
/// Shapes:   p.form has to be rows or columns (streams_to_device).
/// Memory:   at most memory_bytes of pinned slots and results, and as much on the device; there also an accumulator a
///           result of one slab, and a workspace. Where the device has less, there are fewer and smaller slots. Arrays
///           that lie in pinned memory are copied from there, or read from there, and take no pinned slots.
/// Numerics: the same bits for any number of threads, any memory, and any way of transfer. But sums that are rounded on
///           the way depend on where a mapped array starts, modulo 128 bytes.
/// Throws:   as run_host, and cuda_error; unsupported_error for another form, and for a transfer out of pinned memory
///           if the array is elsewhere; out_of_memory if there is no room for two slots of 512 KiB.
/// Cost:     reads each element once, copies it once; reading, copying, reducing and copying results back overlap.
streamed run_device(const plan& p, const inputs& input, void* results, const host_options& options = {});

}  // namespace multifold::stream
