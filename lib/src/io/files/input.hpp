// Bytes that can be read: a regular file or a disk from any place, a pipe or a device in order. Knows no formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/direct_file.hpp"
#include "io/files/file_descriptor.hpp"
#include "io/files/read_ahead.hpp"
#include "io/formats/zip/inflater.hpp"
#include "io/formats/zip/member_checksum.hpp"

namespace multifold::inline v0_1::io {

/// An open file, device, pipe or standard input.
///
/// Offsets are bytes from where the input stood when it was opened; that is not the start of the file where the shell
/// handed over a standard input that somebody has read from.
class input {
 public:
  /// Opens `path`, "-" for standard input. Files of `large_bytes` and more are read past the page cache, but for what
  /// is in it already. Throws io_error.
  static input open(const std::string& path, const system_calls& calls = kernel_calls(),
                    std::int64_t large_bytes = half_of_memory());

  /// Files beyond it are pushed out of the page cache by themselves before they could be read again.
  static std::int64_t half_of_memory() noexcept;

  /// The `bytes` bytes from `first` on as an input of their own, which messages call `name`: one array of an archive.
  /// Only with random access, and within `size`. With a `checksum`, what is read is held against it: then `read` throws
  /// as member_checksum::add does.
  input part(std::int64_t first, std::int64_t bytes, std::string name,
             std::unique_ptr<member_checksum> checksum = nullptr) &&;

  /// What this input decompresses to: see inflater. It is read in order, like a pipe, but its size is known.
  input inflated(std::int64_t bytes, std::uint32_t crc) &&;

  const std::string& name() const noexcept { return name_; }    // as it was given
  const std::string& label() const noexcept { return label_; }  // as messages say it

  /// True if `read` takes any offset from several threads at once.
  bool random_access() const noexcept { return kind_ == kind::file || kind_ == kind::disk; }

  /// Bytes up to the end, if that is known.
  std::optional<std::int64_t> size() const noexcept { return size_; }

  /// See source::identity; of a part, it says which.
  std::string identity() const;

  /// False for devices: they go on after any array that is read from them.
  bool has_end() const noexcept { return kind_ == kind::file || kind_ == kind::pipe; }

  /// Fills `buffer` from byte `offset`; returns fewer bytes than asked for only at the end.
  /// Throws: io_error with the byte, unsupported_error where an input without random access is not read in order.
  std::size_t read(std::int64_t offset, std::span<std::byte> buffer);

  /// The first bytes, at most `bytes`; they will be read again. Only before the first `read`.
  std::span<const std::byte> peek(std::size_t bytes);

  /// Reads up to `offset` and drops it; returns where it got to, less than `offset` only at the end.
  std::int64_t skip_to(std::int64_t offset);

 private:
  enum class kind { file, disk, pipe, device };

  input(file_descriptor descriptor, std::string name, const system_calls& calls);
  void look(std::int64_t large_bytes);
  std::size_t read_anywhere(std::int64_t offset, std::span<std::byte> buffer) const;
  std::size_t read_next(std::span<std::byte> buffer);
  void wait_for_data() const;
  [[noreturn]] void fail(int code, std::int64_t offset, std::size_t wanted) const;

  file_descriptor descriptor_;
  std::string name_;
  std::string label_;
  const system_calls* calls_;
  std::unique_ptr<direct_file> direct_;  // of large files
  std::unique_ptr<read_ahead> ahead_;    // of others
  std::unique_ptr<member_checksum> checksum_;
  std::unique_ptr<inflater> inflater_;  // instead of a descriptor
  kind kind_ = kind::file;
  std::string file_identity_;
  std::int64_t origin_ = 0;  // bytes of the file before ours
  std::optional<std::int64_t> size_;
  bool is_part_ = false;           // others may be read beyond a size that they have outgrown
  std::int64_t position_ = 0;      // of the next byte that a pipe gives
  std::vector<std::byte> peeked_;  // a pipe's first bytes
};

}  // namespace multifold::inline v0_1::io
