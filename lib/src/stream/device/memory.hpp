// What CUDA knows of memory that somebody else owns.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/transfer.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1::stream {

/// Whether both ends of these bytes are pinned host memory: allocated by cudaMallocHost, or registered.
bool is_pinned(const void* data, std::int64_t bytes);

/// Where the device sees the arrays of `input`. Throws: unsupported_error if they are not mapped.
operands mapped_address(const inputs& input);

/// The way that arrays of `bytes` each take, if `asked` is automatic.
/// Throws: unsupported_error if the array has to be pinned for what was asked, and is not.
transfer way_of(const inputs& input, std::int64_t bytes, transfer asked);

}  // namespace multifold::inline v0_1::stream
