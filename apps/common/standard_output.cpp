// The loop around write(2): stdio would report a full disk after we have promised success, or never.
#include "common/standard_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "common/messages/failure.hpp"

namespace multifold::app {
namespace {

constexpr std::size_t chunk_bytes = 64 << 10;

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno == EPIPE) {
      throw failure(exit_code::input, "");  // `multifold ... | head` is no mistake
    } else if (errno != EINTR) {
      throw failure(exit_code::input, "standard output: " + std::generic_category().message(errno));
    }
  }
}

text_output& text_output::operator<<(std::string_view text) {
  chunk_ += text;
  if (chunk_.size() >= chunk_bytes) flush();
  return *this;
}

void text_output::flush() {
  sink_(chunk_);
  chunk_.clear();
}

void print_aside(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put <= 0 && errno != EINTR) return;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace multifold::app
