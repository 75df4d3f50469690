// Files that are written as a whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// Takes the next bytes of a file.
using byte_sink = std::function<void(std::span<const std::byte> bytes)>;

/// Calls `write`, which gives the bytes of the file in chunks, and puts the file at `path` when it returns; what stands
/// there is replaced then, and stays if `write` throws. Pipes, devices and standard output ("-") are written to
/// directly.
/// Memory:   of the chunks alone.
/// Throws:   io_error, and what `write` throws.
MULTIFOLD_EXPORT void write_whole_file(const std::string& path,
                                       const std::function<void(const byte_sink& sink)>& write);

}  // namespace multifold::inline v0_1
