// A file that is written as a whole or not at all. Knows no formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/files/file_descriptor.hpp"

namespace multifold::inline v0_1::io {

/// A new file that has no name until it replaces the one at its path; pipes, devices and standard output ("-") are
/// written to directly.
///
/// A symbolic link keeps pointing where it does: what it points to is replaced. Permissions of the replaced file stay.
class output {
 public:
  /// Throws io_error: no such directory, no permission, a directory.
  output(const std::string& path, const system_calls& calls = kernel_calls());
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  /// Leaves nothing behind, unless `finish` returned.
  ~output();

  /// Throws io_error with the byte. `whole_bytes`, which the message says, is what the file will have in the end.
  void write(std::span<const std::byte> bytes, std::int64_t whole_bytes);

  /// Puts the file in its place; `durable`: after it has reached the disk, so that no crash leaves an empty one there.
  /// Throws io_error.
  void finish(bool durable = false);

 private:
  void open_beside();
  void name_it();
  [[noreturn]] void fail(int code, const std::string& doing) const;

  std::string label_;
  const system_calls* calls_;
  std::string target_;
  bool is_replaced_ = false;  // by a new file; else it is written to directly
  std::string unfinished_;    // the name of the new file, while it has one
  file_descriptor descriptor_;
  std::int64_t written_ = 0;
};

}  // namespace multifold::inline v0_1::io
