// Arrays to .npy files, through a table of system calls that tests replace.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/files/file_descriptor.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// What multifold::write_npy does, by `calls`.
void write_npy(const std::string& path, const array_layout& layout, std::span<const std::byte> data,
               const system_calls& calls);

}  // namespace multifold::inline v0_1::io
