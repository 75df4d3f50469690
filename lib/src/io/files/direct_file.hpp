// A file read past the page cache: for files so large that caching them only pushes others out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/files/file_descriptor.hpp"

namespace multifold::inline v0_1::io {

class direct_file {
 public:
  /// Opens the file of `descriptor` once more; null where the file system reads through its cache alone.
  static std::unique_ptr<direct_file> open(int descriptor);

  /// Fills `buffer` from byte `offset`, from any thread. What the cache has comes from there, the rest from the disk,
  /// without going into the cache. Returns fewer bytes at the end, and wherever something went wrong: an ordinary read
  /// of the rest tells which.
  /// Memory: 1 MiB for each thread that reads where buffer and offset are not aligned alike, modulo 4 KiB.
  std::size_t read(std::int64_t offset, std::span<std::byte> buffer);

 private:
  direct_file(int cached, file_descriptor direct) : cached_(cached), direct_(std::move(direct)) {}

  std::size_t read_disk(std::int64_t offset, std::span<std::byte> buffer) const;

  int cached_;  // somebody else's
  file_descriptor direct_;
};

}  // namespace multifold::inline v0_1::io
