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
  /// Memory:  nothing is allocated; `chunk` needs no alignment.
  /// Returns: the number of elements read: chunk.size() / item, or fewer where the array ends.
  /// Throws:  io_error (with the byte) if the system refuses, format_error if the data ends early, or, in a pipe, goes
  ///          on after its last element; unsupported_error if `random_access` is false and `first` is not next.
  /// Cost:    one copy out of the system, straight into `chunk`; other byte orders are swapped while in the cache.
  ///          Page-aligned chunks are best: on an AMD EPYC, pread of cached pages falls from 8 to 1.7 GB/s where the
  ///          chunk lies 16 bytes past the file's offset modulo 4096, as malloc's large buffers do.
  virtual std::int64_t read(std::int64_t first, std::span<std::byte> chunk) = 0;
};

/// How raw bytes are to be read.
struct raw_options {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;  // empty: one axis as long as the file says
  bool has_extents = false;           // tells a scalar from "not given"
  std::int64_t offset_bytes = 0;
};

/// Opens `path` ("-": standard input) as raw elements in the machine's byte order.
/// Shapes: with extents given, the data reach from the offset to the end of the file, no less and no more; only devices
///         (/dev/zero, disks) may go on. Without them a rest shorter than an element, and no data at all, are errors.
/// Throws: io_error; format_error where the file is at fault; shape_error for negative or oversized options.
std::unique_ptr<source> open_raw(const std::string& path, const raw_options& options);

/// Opens `path` ("-": standard input) as .npy of version 1, 2 or 3; bytes after the array are an error.
/// Throws: io_error; format_error; unsupported_error for element types that cannot be reduced (objects, strings,
///         records, complex) and for other known formats (.npz, safetensors, compressed files).
std::unique_ptr<source> open_npy(const std::string& path);

/// Opens `path` as .npy, or as raw elements if `raw` says how; without it a file that is not .npy is a format_error
/// that says how raw files are read. A .npy file with `raw` at offset 0 is a format_error too: its header is no data.
std::unique_ptr<source> open_source(const std::string& path, const std::optional<raw_options>& raw);

/// Whether .npy has this element type: all but bf16. To be asked before the work whose result is to be written.
bool npy_holds(dtype type) noexcept;

/// Writes a dense row-major array as .npy version 1.0, byte for byte as NumPy does, to a new file that replaces `path`
/// only when it is whole; "-" writes to standard output, and pipes and devices are written to directly.
/// Shapes: data.size() is the element count times the item size; at most 64 axes, as in NumPy.
/// Throws: io_error, and then nothing is left behind; shape_error; unsupported_error for bf16.
void write_npy(const std::string& path, dtype type, const std::vector<std::int64_t>& extents,
               std::span<const std::byte> data);

}  // namespace multifold
