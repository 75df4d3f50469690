// Whether memory lies where a request says it does, before anything crashes over it. Private to the API.
#pragma once

#include <cstddef>
#include <span>

#include "multifold/array.hpp"
#include "multifold/segments.hpp"

namespace multifold::detail {

/// Throws shape_error for an array of some elements without an address.
void check_address(const array_view& array);

/// Throws unsupported_error if the arrays are not to be read from where they are said to be, or `into` (which may be
/// empty) not to be written to by the host. `y` may be null. In device memory, arrays are those of the current device,
/// or what that device can read of the host's. The device is open then; for host memory none is opened.
void check_places(const array_view& x, const array_view* y, std::span<std::byte> into);

/// The same of a list of segments.
void check_place(const segments& of);
void check_place_of_keys(const array_view& keys);

/// Whether CUDA knows `at` as memory of a device that the host cannot read. Never opens a device.
bool is_device_memory(const void* at);

/// Throws unsupported_error, which begins with `what` ("the array lies"), unless the current device can read `at`.
void check_read_by_device(const char* what, const void* at);

/// Whether this process has loaded CUDA's driver. Never loads it.
bool uses_cuda();

}  // namespace multifold::detail
