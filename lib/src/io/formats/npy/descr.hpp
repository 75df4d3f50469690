// NumPy's names for element types, as .npy headers spell them ("<f4", "|b1"), to ours and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1::io {

struct npy_type {
  dtype type = dtype::f32;
  bool other_byte_order = false;  // than this machine's
};

/// What a descr stands for.
/// Throws: format_error if it is none of NumPy's, unsupported_error if it is one that cannot be reduced; `where` opens
///         the message, `data_byte` is where the elements start, for advice on reading them as raw ones.
npy_type parse_descr(std::string_view descr, const std::string& where, std::int64_t data_byte);

/// The descr of `type` in this machine's byte order; throws unsupported_error for bf16, which NumPy does not have.
std::string descr_of(dtype type);

}  // namespace multifold::inline v0_1::io
