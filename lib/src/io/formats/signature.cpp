// The first bytes of files: .npy's, and those of formats that people may take for it.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "io/formats/formats.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

struct signature {
  std::string_view bytes;
  std::string_view found_and_what_to_do;
};

constexpr std::array<signature, 6> signatures{{
    {"PK\x03\x04", "a zip archive, perhaps .npz; archives are read from files alone, as x.npz:NAME"},
    {"PK\x05\x06", "an empty zip archive, perhaps .npz; expected an array"},
    {"\x89HDF", "an HDF5 file; save its dataset as .npy, or read it by raw_options"},
    {"\x1f\x8b", "gzip-compressed data; decompress it: gunzip -c FILE | multifold OP -"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed data; decompress it: zstd -dc FILE | multifold OP -"},
    {"\xfd\x37zXZ", "xz-compressed data; decompress it: xz -dc FILE | multifold OP -"},
}};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A little-endian length below 100 MB, as the format caps it, and then JSON.
bool is_safetensors(std::string_view head) {
  return head.size() >= 9 && head[8] == '{' && head.substr(4, 4) == std::string_view("\0\0\0\0", 4) &&
         static_cast<unsigned char>(head[3]) <= 5 && head.substr(0, 4) != std::string_view("\0\0\0\0", 4);
}

}  // namespace

bool starts_with_magic(std::span<const std::byte> head) noexcept { return as_text(head).starts_with(npy_magic); }

archive_kind archive_of(std::span<const std::byte> head) noexcept {
  const std::string_view text = as_text(head);
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) return archive_kind::zip;
  return is_safetensors(text) ? archive_kind::safetensors : archive_kind::none;
}

void refuse_signature(const std::string& label, std::span<const std::byte> head) {
  const std::string_view text = as_text(head);
  const auto known = std::find_if(signatures.begin(), signatures.end(),
                                  [text](const signature& other) { return text.starts_with(other.bytes); });
  if (known != signatures.end()) {
    throw unsupported_error(at(label, 0) + "found " + std::string(known->found_and_what_to_do));
  }
  if (is_safetensors(text)) {
    throw unsupported_error(at(label, 0) + "found safetensors, which are read from files alone, as x.safetensors:NAME");
  }
  throw format_error(at(label, 0) + "found " + hex(head.first(std::min(head.size(), npy_magic.size()))) +
                     "; expected .npy, which starts with " + hex(std::as_bytes(std::span(npy_magic))) +
                     "; raw elements are read by raw_options");
}

}  // namespace multifold::inline v0_1::io
