// O_DIRECT and its alignment.
#include "io/files/direct_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "io/files/page_cache.hpp"

namespace multifold::inline v0_1::io {
namespace {

// Of offsets, lengths and memory: no disk asks for more.
constexpr std::size_t alignment = 4096;
constexpr std::size_t bounce_bytes = 1 << 20;

struct release {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Null where there is no memory.
std::byte* bounce_buffer() {
  thread_local std::unique_ptr<std::byte, release> buffer;
  if (!buffer) buffer.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bounce_bytes)));
  return buffer.get();
}

// Bytes that were read, or -1.
ssize_t read_once(int descriptor, std::byte* to, std::size_t bytes, std::int64_t offset) {
  ssize_t got = -1;
  do {
    got = ::pread(descriptor, to, bytes, offset);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

std::unique_ptr<direct_file> direct_file::open(int descriptor) {
  // By number, since the name may lead to another file by now.
  const std::string same = "/proc/self/fd/" + std::to_string(descriptor);
  file_descriptor direct(::open(same.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!direct.is_open()) return nullptr;
  return std::unique_ptr<direct_file>(new direct_file(descriptor, std::move(direct)));
}

std::size_t direct_file::read(std::int64_t offset, std::span<std::byte> buffer) {
  const std::size_t cached = read_cached(cached_, offset, buffer);
  return cached + read_disk(offset + static_cast<std::int64_t>(cached), buffer.subspan(cached));
}

std::size_t direct_file::read_disk(std::int64_t offset, std::span<std::byte> buffer) const {
  std::size_t done = 0;
  while (done < buffer.size()) {
    std::byte* const to = buffer.data() + done;
    const std::int64_t byte = offset + static_cast<std::int64_t>(done);
    const std::size_t rest = buffer.size() - done, skip = static_cast<std::size_t>(byte) % alignment;
    if (skip == 0 && reinterpret_cast<std::uintptr_t>(to) % alignment == 0 && rest >= alignment) {
      const ssize_t got =
          read_once(direct_.number(), to, std::min(rest, most_bytes_per_call) / alignment * alignment, byte);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
      continue;
    }
    std::byte* const bounce = bounce_buffer();
    if (bounce == nullptr) break;
    const std::size_t wanted = std::min((skip + rest + alignment - 1) / alignment * alignment, bounce_bytes);
    const ssize_t got = read_once(direct_.number(), bounce, wanted, byte - static_cast<std::int64_t>(skip));
    if (got <= static_cast<ssize_t>(skip)) break;
    const std::size_t useful = std::min(static_cast<std::size_t>(got) - skip, rest);
    std::memcpy(to, bounce + skip, useful);
    done += useful;
  }
  return done;
}

}  // namespace multifold::inline v0_1::io
