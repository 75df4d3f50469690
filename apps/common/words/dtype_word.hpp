// Element types as command lines name them: NumPy's names as NumPy means them, ours as ours.
#pragma once

#include <string>

#include "multifold/dtype.hpp"

namespace multifold::app {

/// An element type, and the byte order of its elements.
struct dtype_word {
  dtype type;
  bool other_byte_order = false;  // than this machine's
};

/// Reads "float32", "f4", ">i8" and "?" as NumPy does, where the number behind a letter is of bytes, and "f32", "bf16"
/// as multifold writes them, where it is of bits. Throws: usage, for "i8" and "u8" too, which mean either.
dtype_word parse_dtype_word(const std::string& option, const std::string& text);

}  // namespace multifold::app
