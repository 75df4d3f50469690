// The text of a .npy header, which says what the array is; where that text stands in a file is not known here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// The most axes an array may have; NumPy's own bound.
inline constexpr std::int64_t most_axes = 64;

struct npy_header {
  array_layout layout;
  bool other_byte_order = false;  // than this machine's
};

/// Reads the Python dict with the keys descr, fortran_order and shape, in any order, each once.
/// `text` stands at byte `first_byte` of the file that messages call `label`; the data follow it.
/// Throws: format_error with the byte, unsupported_error for element types that cannot be reduced.
npy_header parse_npy_header(std::string_view text, const std::string& label, std::int64_t first_byte);

/// Everything that precedes the data in a file of version 1.0, padded with spaces to a multiple of 64 bytes.
/// Throws: unsupported_error for bf16, shape_error for more than `most_axes` axes.
std::string format_npy_header(dtype type, const std::vector<std::int64_t>& extents);

}  // namespace multifold::inline v0_1::io
