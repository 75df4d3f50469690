// Line by line, while both ends are asked for ahead of time: a core's own prefetchers follow what is read, and less
// well what is written. On a Xeon that stages for a GPU at the same time, GB/s of each of 8 cores:
//     memcpy 7.5; both ends asked for 8.4, only what is read 7.8, only what is written 7.6; past the caches 5.6
// Without a GPU that reads it: memcpy 8.1 to 8.7, both ends asked for 8.5 to 10.1.
#include "stream/staging_copy.hpp"

#include <cstddef>
#include <cstring>

namespace multifold::stream {
namespace {

constexpr std::int64_t line = 64;
constexpr std::int64_t near = 2 << 10;  // into L1, both ends
constexpr std::int64_t far = 16 << 10;  // into L2, what is read

}  // namespace

// prefetchw does nothing on the processors that do not have it.
#if defined(__x86_64__)
[[gnu::target("prfchw")]]
#endif
void staging_copy(void* to, const void* from, std::int64_t bytes) noexcept {
  auto* const out = static_cast<std::byte*>(to);
  auto* const in = static_cast<const std::byte*>(from);
  std::int64_t at = 0;
  for (; bytes - at >= near + line; at += line) {  // what follows `to` may be another's
    __builtin_prefetch(in + at + near, 0, 3);
    __builtin_prefetch(in + at + far, 0, 2);
    __builtin_prefetch(out + at + near, 1, 3);
    std::memcpy(out + at, in + at, line);
  }
  if (at < bytes) std::memcpy(out + at, in + at, static_cast<std::size_t>(bytes - at));
}

}  // namespace multifold::stream
