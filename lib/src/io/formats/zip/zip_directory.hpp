// The table of contents of a zip archive: which members there are and where their bytes lie. Nothing is decompressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/files/input.hpp"

namespace multifold::inline v0_1::io {

/// One member of an archive. Its numbers are what the table says; `zip_data_byte` checks them.
struct zip_member {
  std::string name;
  int method = 0;  // of compression; 0: stored as it is
  std::uint64_t flags = 0;
  bool encrypted = false;
  std::uint32_t crc = 0;  // CRC-32 of what was put in
  std::uint64_t stored_bytes = 0;
  std::uint64_t whole_bytes = 0;  // of what was put in
  std::uint64_t header_byte = 0;  // of the member's own header, which precedes its bytes
  std::int64_t entry_byte = 0;    // of its entry in the table, for messages
};

/// The members of the archive in the order of its table, zip64 included.
/// Memory:  the table at once, at most 64 MiB.
/// Throws:  format_error with the byte; unsupported_error for archives in several volumes; io_error.
/// Source:  PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16 and 4.5.3.
std::vector<zip_member> read_zip_directory(input& in);

/// The byte where the stored bytes of `member` start; all of them lie in the file.
/// Throws: format_error, also if the member's own header, or the descriptor behind its bytes, says something else than
///         the table; io_error.
std::int64_t zip_data_byte(input& in, const zip_member& member);

}  // namespace multifold::inline v0_1::io
