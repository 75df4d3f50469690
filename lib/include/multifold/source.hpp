// Where arrays come from that are not in memory: the interface through which chunks are read. Formats are in src/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// What a source holds: one dense array, row-major or column-major.
struct array_layout {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;  // empty for a scalar
  bool fortran_order = false;
};

/// Whether this is a stream whose length shows at its end: one extent of -1.
inline bool has_unknown_length(const array_layout& layout) noexcept {
  return layout.extents.size() == 1 && layout.extents[0] < 0;
}

/// A dense array that is read in chunks.
///
/// The elements are numbered in memory order (so column-major arrays have their first axis fastest).
class MULTIFOLD_EXPORT source {
 public:
  virtual ~source() = default;

  /// A name for messages: a path, or "-" for standard input.
  virtual const std::string& name() const noexcept = 0;

  /// The array. A raw stream of unknown length has one extent of -1 until it has been read to its end.
  virtual const array_layout& layout() const noexcept = 0;

  /// True if `read` may be called from several threads, in any order; false if offsets must ascend without gaps,
  /// one call at a time (pipes, and what is compressed).
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

  /// A text that another source has only if its elements are the same, as far as can be told without reading them: of
  /// files device, inode, size, times of change, and where in them the elements lie, all as they were when the source
  /// was opened. Empty if nothing tells: of pipes, devices and callbacks, and of files that had changed less than two
  /// seconds before, since the next change might have the same time. Who writes to a mapped file, or sets clocks back,
  /// is not seen.
  virtual std::string identity() const { return {}; }
};

/// How raw bytes are to be read.
struct raw_options {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents = {};  // empty: one axis as long as the file says
  bool has_extents = false;                // tells a scalar from "not given"
  std::int64_t offset_bytes = 0;
  bool other_byte_order = false;  // than this machine's: elements are swapped as they are read
};

/// Opens `path` ("-": standard input) as raw elements.
/// Shapes: with extents given, the data reach from the offset to the end of the file, no less and no more; only devices
///         (/dev/zero, disks) may go on. Without them a rest shorter than an element, and no data at all, are errors.
/// Throws: io_error; format_error where the file is at fault; shape_error for negative or oversized options.
MULTIFOLD_EXPORT std::unique_ptr<source> open_raw(const std::string& path, const raw_options& options);

/// Opens `path` ("-": standard input) as .npy of version 1, 2 or 3; bytes after the array are an error.
/// Throws: io_error; format_error; unsupported_error for element types that cannot be reduced (objects, strings,
///         records, complex) and for other known formats (.npz, safetensors, compressed files).
MULTIFOLD_EXPORT std::unique_ptr<source> open_npy(const std::string& path);

/// Opens `path` as .npy, as the only array of an .npz or safetensors file, or as raw elements if `raw` says how;
/// without it any other file is a format_error that says how raw files are read. A .npy file with `raw` at offset 0 is
/// a format_error too: its header is no data. "PATH:NAME" is the array NAME of the archive PATH, unless there is a file
/// of that name; in an .npz members may be stored or, if the build has zlib, deflated: these have no random access. The
/// CRC-32 is compared by the read behind which all of a member has been read; who reads a part learns of no damage.
/// Files of half of the machine's memory and more are read past the page cache, but for what is in it.
/// Memory: of archives, their table of contents, until the array is open; of such large files, 1 MiB a reading thread
///         where elements do not start at a multiple of 4 KiB.
/// Throws: as above; format_error if there is no such array, unsupported_error if one of several has to be named, and
///         for members that are encrypted, or compressed in another way.
MULTIFOLD_EXPORT std::unique_ptr<source> open_source(const std::string& path, const std::optional<raw_options>& raw);

/// The arrays in the archive `path`, in its order, each as open_source takes it: "x.npz:a". Empty if `path` is no .npz
/// and no safetensors file, or cannot be looked at. Throws: format_error; io_error.
MULTIFOLD_EXPORT std::vector<std::string> arrays_in(const std::string& path);

/// Several arrays as one: joined along the axis that is slowest in memory, the first one of row-major arrays and the
/// last one of column-major arrays. They are read in turn, each to its end.
/// Shapes: the same dtype and order, and the same extents but along that axis, of which there has to be one. Streams of
///         unknown length may take part, and then the length of the whole is unknown, too.
/// Throws: shape_error, which names the array that does not fit; reading throws what the parts throw.
MULTIFOLD_EXPORT std::unique_ptr<source> concatenate(std::vector<std::unique_ptr<source>> parts);

/// Writes elements, from number `first` on in the machine's byte order, to the start of `chunk`, which has room for one
/// or more; returns how many, at least one as long as there are any, and 0 at the end.
using chunk_callback = std::function<std::int64_t(std::int64_t first, std::span<std::byte> chunk)>;

/// An array that a function makes, or fetches: out of a decompressor, a network, a generator. It is called when there
/// is room for what it brings, with ascending `first` and one call at a time, from threads of the library; with
/// `random_access` in any order and from several threads at once. What it throws ends the reduction and reaches its
/// caller.
/// Shapes: one extent of -1 if the length shows at the end.
/// Throws: reading throws format_error if the elements end before the shape does, or more come than there was room for.
MULTIFOLD_EXPORT std::unique_ptr<source> make_source(std::string name, array_layout layout, chunk_callback next,
                                                     bool random_access = false);

/// Whether .npy has this element type: all but bf16. To be asked before the work whose result is to be written.
MULTIFOLD_EXPORT bool npy_holds(dtype type) noexcept;

/// Writes a dense row-major array as .npy version 1.0, byte for byte as NumPy does, to a new file that replaces `path`
/// only when it is whole; "-" writes to standard output, and pipes and devices are written to directly.
/// Shapes: data.size() is the element count times the item size; at most 64 axes, as in NumPy.
/// Throws: io_error, and then nothing is left behind; shape_error; unsupported_error for bf16.
MULTIFOLD_EXPORT void write_npy(const std::string& path, dtype type, const std::vector<std::int64_t>& extents,
                                std::span<const std::byte> data);

}  // namespace multifold::inline v0_1
