// The GPU engine as the API sees it, whether or not this build and this machine have it.
#pragma once

#include <cstdint>
#include <string>

#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"
#include "stream/host_stream.hpp"
#include "stream/inputs.hpp"

namespace multifold::detail {

/// Whether there is a GPU to run on; if not, `reason` says why.
bool has_device(std::string& reason);

/// Traits of the current device.
engine_traits current_device();

/// Reduces an array in device memory, or two, into `results` on the host: values, or the state of an exact sum if that
/// is asked for.
void run_on_device(const plan& p, const operands& data, void* results);

/// Reduces a source, or two, that is read in chunks.
stream::streamed stream_to_device(const plan& p, const stream::inputs& input, void* results,
                                  const stream::host_options& options);

/// The same by the device and the CPU together; see stream/device_sharing.hpp.
stream::streamed share_with_device(const plan& p, const stream::inputs& input, void* results,
                                   const stream::host_options& options);

/// Whether the two can share arrays of this form, and little of it twice.
bool device_shares(const reduction& what, const batches& form);

/// Whether chunks of an array of this form can be sent to the device.
bool device_takes_chunks(const batches& form);

}  // namespace multifold::detail
