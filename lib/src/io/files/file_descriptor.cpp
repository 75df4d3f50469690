// Closing, and the kernel's table of calls.
#include "io/files/file_descriptor.hpp"

#include <unistd.h>

#include <cerrno>

namespace multifold::inline v0_1::io {

int file_descriptor::close() noexcept {
  const int number = std::exchange(number_, -1);
  if (number < 0 || ::close(number) == 0) return 0;
  // Linux has released the descriptor even when a signal came; a second close could hit somebody else's file.
  return errno == EINTR ? 0 : errno;
}

const system_calls& kernel_calls() noexcept {
  static constexpr system_calls calls{&::read, &::pread, &::write};
  return calls;
}

}  // namespace multifold::inline v0_1::io
