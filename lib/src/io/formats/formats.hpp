// The formats, each from an input that is already open; source.hpp has the doors for everybody else.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "io/files/input.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// What a .npy file begins with.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// Bytes at the start of a file that `refuse_signature` and `starts_with_magic` look at.
inline constexpr std::size_t signature_bytes = 9;

bool starts_with_magic(std::span<const std::byte> head) noexcept;

enum class archive_kind { none, zip, safetensors };

/// Which kind of archive a file begins as.
archive_kind archive_of(std::span<const std::byte> head) noexcept;

/// Throws the error for a file that is no .npy: unsupported_error if `head` is another format's, else format_error.
[[noreturn]] void refuse_signature(const std::string& label, std::span<const std::byte> head);

std::unique_ptr<source> raw_source(input in, const raw_options& options);
std::unique_ptr<source> npy_source(input in);

}  // namespace multifold::inline v0_1::io
