// The parts that error messages of this room are made of. Every message stays one printable line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// How a path is named to people: "-" is `standard_stream`, anything else itself, control characters escaped.
std::string label_of(const std::string& path, std::string_view standard_stream);

/// `text` with control characters (and, outside of file names, all that is not ASCII) as \xNN, cut after `limit`.
std::string printable(std::string_view text, std::size_t limit);

/// "93 4e 55 4d".
std::string hex(std::span<const std::byte> bytes);

/// "model.npy: byte 128: ".
std::string at(const std::string& label, std::int64_t byte);

/// The system's words for an errno.
std::string system_message(int code);

/// "shape (3, 4) of f32".
std::string describe(const array_layout& layout);

/// "1 byte", "12 bytes".
std::string bytes_text(std::int64_t bytes);

}  // namespace multifold::inline v0_1::io
