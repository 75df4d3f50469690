// One open file, closed when its owner goes; and the few system calls that move bytes, as a table that tests replace.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

namespace multifold::inline v0_1::io {

/// Owns one descriptor: move-only, silent destructor.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) noexcept : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~file_descriptor() { close(); }

  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

  /// Closes now and returns errno, or 0: network file systems report a full disk only here.
  int close() noexcept;

 private:
  int number_ = -1;
};

/// What reads and writes; each behaves as the system call of its name, errno included.
struct system_calls {
  ssize_t (*read)(int descriptor, void* buffer, std::size_t bytes);
  ssize_t (*pread)(int descriptor, void* buffer, std::size_t bytes, off_t offset);
  ssize_t (*write)(int descriptor, const void* buffer, std::size_t bytes);
};

/// The kernel's own.
const system_calls& kernel_calls() noexcept;

/// The most that Linux moves in one call, whatever is asked.
inline constexpr std::size_t most_bytes_per_call = 0x7ffff000;

}  // namespace multifold::inline v0_1::io
