// .npy files, versions 1.0 to 3.0: from the first byte to the start of the data.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/little_endian.hpp"
#include "io/file_source.hpp"
#include "io/formats/formats.hpp"
#include "io/formats/npy/header.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::int64_t most_npy_header_bytes = 64 << 20;  // NumPy's own are below a kilobyte
constexpr std::size_t read_at_once = 1 << 20;

struct preamble {
  std::int64_t header_byte;
  std::int64_t header_bytes;
};

[[noreturn]] void ends_inside(const input& in, std::size_t byte, const std::string& what) {
  throw format_error(at(in.label(), static_cast<std::int64_t>(byte)) + "the file ends inside " + what);
}

// Magic, two bytes of version, and the length of the header: two bytes in version 1, four since.
preamble read_preamble(input& in) {
  std::array<std::byte, 12> bytes;
  const std::span<std::byte> all(bytes);
  const std::size_t got = in.read(0, all.first(10));
  if (got == 0)
    throw format_error(in.label() + ": the file is empty; expected .npy, or raw elements and their raw_options::type");
  const std::size_t magic = std::min(got, npy_magic.size());
  if (!std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(magic),
                  std::as_bytes(std::span(npy_magic)).begin())) {
    refuse_signature(in.label(), all.first(std::min(got, signature_bytes)));
  }
  if (got < 10) ends_inside(in, got, "the .npy magic, version and header length");
  const int major = std::to_integer<int>(bytes[6]);
  const int minor = std::to_integer<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw format_error(at(in.label(), 6) + "found .npy version " + std::to_string(major) + "." + std::to_string(minor) +
                       "; expected 1.0, 2.0 or 3.0");
  }
  if (major == 1) return {10, static_cast<std::int64_t>(little_endian(all.subspan(8, 2)))};
  if (const std::size_t more = in.read(10, all.subspan(10, 2)); more < 2) {
    ends_inside(in, 10 + more, "the length of the .npy header");
  }
  return {12, static_cast<std::int64_t>(little_endian(all.subspan(8, 4)))};
}

// Memory grows with what is really there, not with what the length field claims.
std::string read_header(input& in, const preamble& found) {
  const std::int64_t end = found.header_byte + found.header_bytes;
  if (found.header_bytes > most_npy_header_bytes) {
    throw format_error(at(in.label(), 8) + "found a header length of " + std::to_string(found.header_bytes) +
                       "; expected at most " + std::to_string(most_npy_header_bytes));
  }
  if (in.size() && *in.size() < end) {
    throw format_error(at(in.label(), 8) + "found a header length of " + std::to_string(found.header_bytes) +
                       ", up to byte " + std::to_string(end) + "; the file ends at byte " + std::to_string(*in.size()));
  }
  std::string text;
  const auto length = static_cast<std::size_t>(found.header_bytes);
  while (text.size() < length) {
    const std::size_t before = text.size();
    const std::size_t step = std::min(read_at_once, length - before);
    text.resize(before + step);
    const std::int64_t byte = found.header_byte + static_cast<std::int64_t>(before);
    const std::size_t got = in.read(byte, std::as_writable_bytes(std::span(text).subspan(before)));
    if (got < step) ends_inside(in, static_cast<std::size_t>(byte) + got, "its header");
  }
  return text;
}

}  // namespace

std::unique_ptr<source> npy_source(input in) {
  const preamble found = read_preamble(in);
  npy_header header = parse_npy_header(read_header(in, found), in.label(), found.header_byte);
  const std::int64_t data_byte = found.header_byte + found.header_bytes;
  const std::string label = in.label();
  try {
    return std::make_unique<file_source>(std::move(in), std::move(header.layout), data_byte, header.other_byte_order);
  } catch (const shape_error& problem) {
    // The shape was the file's, so the blame is too.
    throw format_error(at(label, found.header_byte) + "found " + problem.what());
  }
}

}  // namespace multifold::inline v0_1::io
