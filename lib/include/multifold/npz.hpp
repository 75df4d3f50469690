// Several arrays to one .npz file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// A dense row-major array of an archive.
struct npz_member {
  std::string name;  // without .npy
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;
  std::span<const std::byte> data;
};

/// Writes the arrays as an .npz, stored as numpy.savez does, to a new file that replaces `path` only when it is whole.
/// Shapes: as write_npy. Names are those of files, each its own.
/// Memory: of one header at a time.
/// Throws: as write_npy, and unsupported_error for archives of 4 GiB and more.
MULTIFOLD_EXPORT void write_npz(const std::string& path, std::span<const npz_member> members);

}  // namespace multifold::inline v0_1
