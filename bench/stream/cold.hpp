// A file that is not in the page cache, and how fast the disk brings it.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "device/cost.hpp"
#include "stream/data.hpp"
#include "stream/measure.hpp"

namespace bench {

class open_file {
 public:
  explicit open_file(const std::string& path, int flags = 0)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

/// Whether the file had to leave the page cache: memory that poses as a disk does not let go.
inline bool drop_from_cache(const std::string& path) {
  const open_file file(path);
  if (file.get() < 0 || ::fdatasync(file.get()) != 0) return false;
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::byte first;
  const iovec room{&first, 1};
  return ::preadv2(file.get(), &room, 1, 0, RWF_NOWAIT) < 0 && errno == EAGAIN;
}

/// Of reading `bytes` past the page cache, 16 MiB at a time by every core; negative if that cannot be done here.
inline double direct_seconds(const std::string& path, std::int64_t bytes) {
  const open_file file(path, O_DIRECT);
  if (file.get() < 0) return -1;
  std::atomic<bool> whole = true;
  const double start = seconds_of(CLOCK_MONOTONIC);
  in_chunks(bytes, [&](std::int64_t first, std::int64_t some) {
    thread_local const std::unique_ptr<void, decltype(&std::free)> buffer(
        std::aligned_alloc(4096, static_cast<std::size_t>(INT64_C(16) << 20)), &std::free);
    if (!buffer || ::pread(file.get(), buffer.get(), static_cast<std::size_t>(some), first) != some) whole = false;
  });
  return whole ? seconds_of(CLOCK_MONOTONIC) - start : -1;
}

/// More than elsewhere: disks that others share are restless.
inline constexpr int cold_rounds = 9;

/// Of `work`, which reads the file: of_disk, beside reading it past the page cache in the same round.
inline void measure_cold(benchmark::State& state, std::int64_t bytes, const std::string& path,
                         const std::function<void()>& work) {
  const auto cold_work = [&] {
    drop_from_cache(path);
    work();
  };
  measure_beside(
      state, cold_rounds, bytes, [&] { return direct_seconds(path, bytes); }, "of_disk", cold_work);
}

}  // namespace bench
