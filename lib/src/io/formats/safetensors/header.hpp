// The JSON at the start of a safetensors file, which says what its tensors are and where they lie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace multifold::inline v0_1::io {

/// One tensor. Its type is still a word, since the other tensors of a file may well have types that we read.
struct safetensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> extents;
  std::int64_t first = 0;  // its bytes, counted from the end of the header
  std::int64_t last = 0;   // one past them
};

/// Reads the header's object. `text` stands at byte `first_byte` of the file that messages call `label`, and is
/// followed by `data_bytes` of data. The tensors come in the order of their data, and fill them without gaps. Throws:
/// format_error with the byte. Source: the format's specification, github.com/huggingface/safetensors.
std::vector<safetensor> parse_safetensors_header(std::string_view text, const std::string& label,
                                                 std::int64_t first_byte, std::int64_t data_bytes);

}  // namespace multifold::inline v0_1::io
