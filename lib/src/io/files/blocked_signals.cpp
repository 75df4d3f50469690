// The signals that a failing write raises, held back and dropped.
#include "io/files/blocked_signals.hpp"

#include <cerrno>
#include <ctime>
#include <initializer_list>

namespace multifold::inline v0_1::io {

blocked_signals::blocked_signals() noexcept {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  sigemptyset(&dropped_);
  for (const int number : {SIGXFSZ, SIGPIPE}) {
    if (!sigismember(&pending, number)) sigaddset(&dropped_, number);
  }
  pthread_sigmask(SIG_BLOCK, &dropped_, &before_);
}

blocked_signals::~blocked_signals() {
  const int code = errno;
  const timespec at_once{};
  while (sigtimedwait(&dropped_, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = code;
}

}  // namespace multifold::inline v0_1::io
