// Asking for a file's next bytes before they are read: for what is not in the page cache.
#pragma once

#include <atomic>
#include <cstdint>

namespace multifold::inline v0_1::io {

/// Of one file, whose readers go on from where others are.
///
/// The kernel reads ahead for each thread by itself, 128 KiB or so: eight threads that read 4 MiB each in turn kept a
/// virtual disk at 0.77 to 0.85 of what it brings past the page cache; sums of files that ask for 64 MiB ahead of them
/// reach 1.09 of that.
class read_ahead {
 public:
  /// Before bytes [first, end) of `descriptor` are read, which has `size`: asks for them and for what follows, unless
  /// that was done or is in the page cache. From any thread; only advice, and a few microseconds where there is nothing
  /// to ask for.
  void before(int descriptor, std::int64_t first, std::int64_t end, std::int64_t size) noexcept;

 private:
  std::atomic<std::int64_t> asked_{0};  // for everything before that, if anybody was here
};

}  // namespace multifold::inline v0_1::io
