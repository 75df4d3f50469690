// Keeps a write past a size limit, or into a closed pipe, from ending the process: the write fails with an errno
// instead, and the caller's signal handlers stay as they are.
#pragma once

#include <csignal>

namespace multifold::inline v0_1::io {

/// SIGXFSZ and SIGPIPE are held back from this thread while one lives; those that its writes raised are dropped.
class blocked_signals {
 public:
  blocked_signals() noexcept;
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals();

 private:
  sigset_t before_;   // the thread's mask
  sigset_t dropped_;  // ours, without those that were pending anyway
};

}  // namespace multifold::inline v0_1::io
