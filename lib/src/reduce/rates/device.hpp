// What of the rates the GPU knows, whether or not this build and this machine have one. Private to the API.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "multifold/rates.hpp"

namespace multifold::inline v0_1::detail {

/// The UUID of the current device; empty without one.
std::string device_uuid();

/// Whether `data` is memory that the GPU copies by itself.
bool is_pinned(const void* data);

/// Measures `link` and `pinning`, and calls `stage` with pinned memory to measure the rest. Leaves `rates` as they are
/// without a device, or if it fails.
void measure_device(machine_rates& rates, const std::function<void(std::span<std::byte> pinned)>& stage);

}  // namespace multifold::inline v0_1::detail
