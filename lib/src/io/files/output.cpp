// Writing to a file without a name and putting it in the target's place at the end, so that no target is half written
// and a process that is killed leaves nothing.
#include "io/files/output.hpp"

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
#include <utility>

#include "io/files/blocked_signals.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

// Where `path` leads after symbolic links; itself if there is nothing yet.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

std::string directory_of(const std::string& target) {
  return target.substr(0, target.rfind('/') + 1);
}  // npos + 1 is 0

std::string beside(const std::string& target) {
  static std::atomic<std::uint64_t> serial{0};
  return directory_of(target) + ".multifold-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
}

// A name of ours may have survived an earlier process of the same number.
constexpr int most_attempts = 100;

// What a file without a name is linked by, where the system has /proc.
std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

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
  is_replaced_ = true;
  open_beside();
  if (exists) ::fchmod(descriptor_.number(), status.st_mode & 07777);  // where refused, the umask's choice stands
}

void output::open_beside() {
  const std::string directory = directory_of(target_);
  descriptor_ =
      file_descriptor(::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (descriptor_.is_open() && ::access(link_of(descriptor_.number()).c_str(), F_OK) == 0) return;
  // Not every file system has files without a name.
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    unfinished_ = beside(target_);
    descriptor_ = file_descriptor(::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor_.is_open()) return;
    if (errno != EEXIST && errno != EINTR) break;
  }
  unfinished_.clear();
  fail(errno, "creating a file in its directory");
}

void output::name_it() {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::string name = beside(target_);
    if (::linkat(AT_FDCWD, link_of(descriptor_.number()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      unfinished_ = std::move(name);  // which cannot fail, and leave it there
      return;
    }
    if (errno != EEXIST && errno != EINTR) break;
  }
  fail(errno, "naming it");
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
      const std::string kept = is_replaced_ ? "; nothing was changed" : "";
      throw io_error(at(label_, written_) + system_message(errno) + ", writing " + bytes_text(whole_bytes) + kept);
    }
  }
}

void output::finish(bool durable) {
  if (durable && is_replaced_ && ::fdatasync(descriptor_.number()) != 0) fail(errno, "writing it to the disk");
  if (is_replaced_ && unfinished_.empty()) name_it();
  if (const int code = descriptor_.close(); code != 0) fail(code, "closing it");
  if (!is_replaced_) return;
  if (std::rename(unfinished_.c_str(), target_.c_str()) != 0) fail(errno, "putting it in its place");
  unfinished_.clear();
}

// A constructor that throws runs no destructor, but nothing has been created by then.
void output::fail(int code, const std::string& doing) const {
  throw io_error(label_ + ": " + system_message(code) + ", " + doing);
}

}  // namespace multifold::inline v0_1::io
