// Writing beside the target and renaming at the end, so that a target is never half written.
#include "io/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "io/blocked_signals.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::io {
namespace {

// Where `path` leads after symbolic links; itself if there is nothing yet.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

std::string beside(const std::string& target) {
  static std::atomic<std::uint64_t> serial{0};
  const std::string directory = target.substr(0, target.rfind('/') + 1);  // npos + 1 is 0
  return directory + ".multifold-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
}

}  // namespace

output::output(const std::string& path, const system_calls& calls)
    : label_(label_of(path, "standard output")), calls_(&calls) {
  if (path == "-") {
    descriptor_ = file_descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!descriptor_.is_open()) fail(errno, "opening it");
    return;
  }
  target_ = resolved(path);
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw io_error(label_ + ": found a directory; expected a file to write");
  if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno, "opening it for writing");
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = file_descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!descriptor_.is_open()) fail(errno, "opening it for writing");
    return;
  }
  open_beside();
  if (exists) ::fchmod(descriptor_.number(), status.st_mode & 07777);  // where refused, the umask's choice stands
}

void output::open_beside() {
  // A name of ours may have survived an earlier process of the same number.
  for (int attempt = 0; attempt < 100; ++attempt) {
    unfinished_ = beside(target_);
    descriptor_ = file_descriptor(::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor_.is_open()) return;
    if (errno != EEXIST && errno != EINTR) break;
  }
  unfinished_.clear();
  fail(errno, "creating a file in its directory");
}

output::~output() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void output::write(std::span<const std::byte> bytes, std::int64_t whole_bytes) {
  const blocked_signals quiet;
  while (!bytes.empty()) {
    const ssize_t put = calls_->write(descriptor_.number(), bytes.data(), std::min(bytes.size(), most_bytes_per_call));
    if (put >= 0) {
      written_ += put;
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd waiting{descriptor_.number(), POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      const std::string kept = unfinished_.empty() ? "" : "; nothing was changed";
      throw io_error(at(label_, written_) + system_message(errno) + ", writing " + bytes_text(whole_bytes) + kept);
    }
  }
}

void output::finish(bool durable) {
  if (durable && !unfinished_.empty() && ::fdatasync(descriptor_.number()) != 0) fail(errno, "writing it to the disk");
  if (const int code = descriptor_.close(); code != 0) fail(code, "closing it");
  if (unfinished_.empty()) return;
  if (std::rename(unfinished_.c_str(), target_.c_str()) != 0) fail(errno, "putting it in its place");
  unfinished_.clear();
}

// A constructor that throws runs no destructor, but nothing has been created by then.
void output::fail(int code, const std::string& doing) const {
  throw io_error(label_ + ": " + system_message(code) + ", " + doing);
}

}  // namespace multifold::io
