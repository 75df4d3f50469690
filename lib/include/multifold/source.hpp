// Where arrays come from that are not in memory: the interface through which chunks are read. Formats are in src/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multifold/dtype.hpp"

namespace multifold {

/// What a source holds: one dense array, row-major or column-major.
struct array_layout {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;  // empty for a scalar
  bool fortran_order = false;
};

/// A dense array that is read in chunks.
///
/// The elements are numbered in memory order (so column-major arrays have their first axis fastest).
class source {
 public:
  virtual ~source() = default;

  /// A name for messages: a path, or "-" for standard input.
  virtual const std::string& name() const noexcept = 0;

  /// The array. A raw stream of unknown length has one extent of -1 until it has been read to its end.
  virtual const array_layout& layout() const noexcept = 0;

  /// True if `read` may be called from several threads, in any order; false if offsets must ascend without gaps,
  /// one call at a time (pipes).
  virtual bool random_access() const noexcept = 0;

  /// Fills `chunk` with the elements that start at element `first`, in the machine's byte order.
  /// Memory:  nothing is allocated.
  /// Returns: the number of elements read: chunk.size() / item, or fewer at the end of a stream of unknown length.
  /// Throws:  io_error (with the byte) if the system refuses, format_error if the data ends early.
  virtual std::int64_t read(std::int64_t first, std::span<std::byte> chunk) = 0;
};

/// How raw bytes are to be read.
struct raw_options {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;  // empty: one axis as long as the file says
  bool has_extents = false;           // tells a scalar from "not given"
  std::int64_t offset_bytes = 0;
};

/// Opens `path` ("-": standard input) as raw elements. Throws io_error, format_error, shape_error.
std::unique_ptr<source> open_raw(const std::string& path, const raw_options& options);

/// Opens `path` ("-": standard input) as .npy of version 1, 2 or 3. Throws io_error, format_error.
std::unique_ptr<source> open_npy(const std::string& path);

/// Opens `path` as .npy if its first bytes are the magic; else throws a format_error that says how raw files are read.
std::unique_ptr<source> open_source(const std::string& path, const std::optional<raw_options>& raw);

/// Writes a dense row-major array as .npy version 1.0 (2.0 for long headers) to a new file that replaces `path` only
/// when it is whole; "-" writes to standard output. Throws io_error; a failed write leaves nothing behind.
void write_npy(const std::string& path, dtype type, const std::vector<std::int64_t>& extents,
               std::span<const std::byte> data);

}  // namespace multifold
