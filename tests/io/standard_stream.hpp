// Puts a file or one end of a pipe in place of standard input or output, while one of these lives.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace multifold::inline v0_1::io {

class redirected {
 public:
  /// Takes `descriptor` over.
  redirected(int stream, int descriptor) : stream_(stream), before_(::fcntl(stream, F_DUPFD_CLOEXEC, 0)) {
    ::dup2(descriptor, stream);
    ::close(descriptor);
  }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;
  ~redirected() {
    if (before_ < 0) {
      ::close(stream_);
      return;
    }
    ::dup2(before_, stream_);
    ::close(before_);
  }

 private:
  int stream_;
  int before_;
};

/// Standard input is a pipe that gives `bytes`.
class piped {
 public:
  explicit piped(std::string bytes) : piped(std::move(bytes), make_pipe()) {}

 private:
  struct ends {
    int read, write;
  };
  static ends make_pipe() {
    int numbers[2];
    if (::pipe2(numbers, O_CLOEXEC) != 0) std::abort();
    return {numbers[0], numbers[1]};
  }
  piped(std::string bytes, ends pipe)
      : input_(STDIN_FILENO, pipe.read), writer_([bytes = std::move(bytes), out = pipe.write] {
          for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t put = ::write(out, bytes.data() + done, bytes.size() - done);
            if (put < 0) break;
            done += static_cast<std::size_t>(put);
          }
          ::close(out);
        }) {}

  redirected input_;
  std::jthread writer_;
};

}  // namespace multifold::inline v0_1::io
