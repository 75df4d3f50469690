// Reading bytes: what may be opened, and the loops around pread and read.
#include "io/files/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

// Smaller reads are headers and tails, which are in the cache or soon will be.
constexpr std::size_t least_chunk_bytes = 128 << 10;

// File systems keep times in steps of up to this, and two changes within a step look like one.
constexpr std::int64_t settled_seconds = 2;

std::string text(const timespec& time) { return std::to_string(time.tv_sec) + "s" + std::to_string(time.tv_nsec); }

// The status change time is nothing that a program can set: it tells a file whose inode and times are used again.
std::string identity_of(const struct stat& status) {
  timespec now{};
  if (!S_ISREG(status.st_mode) || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return {};
  if (status.st_mtim.tv_sec > now.tv_sec - settled_seconds) return {};
  return "device " + std::to_string(status.st_dev) + ", inode " + std::to_string(status.st_ino) + ", " +
         std::to_string(status.st_size) + " bytes, modified " + text(status.st_mtim) + ", changed " +
         text(status.st_ctim);
}

}  // namespace

std::int64_t input::half_of_memory() noexcept {
  return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE) / 2;
}

input input::open(const std::string& path, const system_calls& calls, std::int64_t large_bytes) {
  int number = -1;
  do {
    number =
        path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (number < 0 && errno == EINTR);
  if (number < 0) {
    throw io_error(label_of(path, "standard input") + ": " + system_message(errno) + "; expected a file to read");
  }
  input opened(file_descriptor(number), path, calls);
  opened.look(large_bytes);
  return opened;
}

input::input(file_descriptor descriptor, std::string name, const system_calls& calls)
    : descriptor_(std::move(descriptor)),
      name_(std::move(name)),
      label_(label_of(name_, "standard input")),
      calls_(&calls) {}

void input::look(std::int64_t large_bytes) {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0) throw io_error(label_ + ": " + system_message(errno));
  if (S_ISDIR(status.st_mode)) throw io_error(label_ + ": found a directory; expected a file to read");
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    kind_ = S_ISREG(status.st_mode) ? kind::file : kind::disk;
    file_identity_ = identity_of(status);
    if (name_ == "-") origin_ = std::max<std::int64_t>(::lseek(descriptor_.number(), 0, SEEK_CUR), 0);
    // A disk has no st_size; its end is found by going there and back.
    std::int64_t end = status.st_size;
    if (kind_ == kind::disk) {
      end = ::lseek(descriptor_.number(), 0, SEEK_END);
      ::lseek(descriptor_.number(), origin_, SEEK_SET);
    }
    size_ = std::max<std::int64_t>(end - origin_, 0);
    if (kind_ == kind::file && *size_ >= large_bytes) direct_ = direct_file::open(descriptor_.number());
    if (!direct_) ahead_ = std::make_unique<read_ahead>();
    // Only advice: where it is refused, reads are right all the same.
    ::posix_fadvise(descriptor_.number(), origin_, 0, POSIX_FADV_SEQUENTIAL);
    return;
  }
  kind_ = S_ISCHR(status.st_mode) ? kind::device : kind::pipe;
#ifdef F_SETPIPE_SZ
  // 64 KiB, the default, costs a wake-up each; 1 MiB is what any user may have.
  if (S_ISFIFO(status.st_mode)) ::fcntl(descriptor_.number(), F_SETPIPE_SZ, 1 << 20);
#endif
}

input input::part(std::int64_t first, std::int64_t bytes, std::string name,
                  std::unique_ptr<member_checksum> checksum) && {
  input inner = std::move(*this);
  inner.name_ = std::move(name);
  inner.label_ = label_of(inner.name_, "standard input");
  inner.kind_ = kind::file;  // it has an end, even on a disk
  inner.origin_ += first;
  inner.size_ = bytes;
  inner.is_part_ = true;
  inner.checksum_ = std::move(checksum);
  inner.peeked_.clear();
  return inner;
}

input input::inflated(std::int64_t bytes, std::uint32_t crc) && {
  input outer(file_descriptor(), name_, *calls_);
  outer.kind_ = kind::pipe;
  outer.size_ = bytes;
  outer.inflater_ = std::make_unique<inflater>(std::make_unique<input>(std::move(*this)), bytes, crc);
  return outer;
}

std::string input::identity() const {
  return file_identity_.empty() ? std::string() : file_identity_ + ", byte " + std::to_string(origin_);
}

std::size_t input::read(std::int64_t offset, std::span<std::byte> buffer) {
  if (random_access()) return read_anywhere(offset, buffer);
  if (offset != position_) {
    throw unsupported_error(label_ + ": byte " + std::to_string(offset) + " was asked for, byte " +
                            std::to_string(position_) + " is next; " + (inflater_ ? "what is compressed" : "a pipe") +
                            " can only be read in order");
  }
  return read_next(buffer);
}

std::size_t input::read_anywhere(std::int64_t offset, std::span<std::byte> buffer) const {
  if (is_part_) {
    const std::int64_t rest = std::max<std::int64_t>(*size_ - offset, 0);
    buffer = buffer.first(std::min(buffer.size(), static_cast<std::size_t>(rest)));
  }
  const bool is_chunk = buffer.size() >= least_chunk_bytes;
  std::size_t done = is_chunk && direct_ ? direct_->read(origin_ + offset, buffer) : 0;
  if (is_chunk && ahead_) {
    const std::int64_t first = origin_ + offset;
    ahead_->before(descriptor_.number(), first, first + static_cast<std::int64_t>(buffer.size()), origin_ + *size_);
  }
  while (done < buffer.size()) {
    const std::size_t wanted = std::min(buffer.size() - done, most_bytes_per_call);
    const std::int64_t byte = offset + static_cast<std::int64_t>(done);
    const ssize_t got = calls_->pread(descriptor_.number(), buffer.data() + done, wanted, origin_ + byte);
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      fail(errno, byte, wanted);
    }
  }
  if (checksum_) checksum_->add(offset, buffer.first(done), label_);
  return done;
}

std::size_t input::read_next(std::span<std::byte> buffer) {
  std::size_t done = std::min(buffer.size(), peeked_.size());
  std::copy_n(peeked_.begin(), done, buffer.begin());
  peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(done));
  position_ += static_cast<std::int64_t>(done);
  if (inflater_) {
    const std::size_t got = inflater_->read(buffer.subspan(done));
    position_ += static_cast<std::int64_t>(got);
    return done + got;
  }
  while (done < buffer.size()) {
    const std::size_t wanted = std::min(buffer.size() - done, most_bytes_per_call);
    const ssize_t got = calls_->read(descriptor_.number(), buffer.data() + done, wanted);
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
      position_ += got;
    } else if (errno == EAGAIN) {
      wait_for_data();
    } else if (errno != EINTR) {
      fail(errno, position_, wanted);
    }
  }
  return done;
}

// Somebody who shares a standard input with us may have made it non-blocking.
void input::wait_for_data() const {
  pollfd waiting{descriptor_.number(), POLLIN, 0};
  ::poll(&waiting, 1, -1);
}

std::span<const std::byte> input::peek(std::size_t bytes) {
  peeked_.resize(bytes);
  if (random_access()) {
    peeked_.resize(read_anywhere(0, peeked_));
  } else {
    std::vector<std::byte> first(bytes);
    peeked_.clear();
    first.resize(read_next(first));
    peeked_ = std::move(first);
    position_ = 0;
  }
  return peeked_;
}

std::int64_t input::skip_to(std::int64_t offset) {
  if (random_access()) return std::min(offset, size_.value_or(offset));
  std::array<std::byte, 1 << 16> dropped;
  while (position_ < offset) {
    const auto step =
        static_cast<std::size_t>(std::min<std::int64_t>(offset - position_, static_cast<std::int64_t>(dropped.size())));
    if (read_next(std::span(dropped).first(step)) < step) break;
  }
  return position_;
}

void input::fail(int code, std::int64_t offset, std::size_t wanted) const {
  throw io_error(at(label_, offset) + system_message(code) + ", reading " +
                 bytes_text(static_cast<std::int64_t>(wanted)));
}

}  // namespace multifold::inline v0_1::io
