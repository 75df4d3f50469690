// WILLNEED, in requests that the kernel takes whole.
#include "io/files/read_ahead.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstddef>

#include "io/files/page_cache.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::int64_t window_bytes = INT64_C(64) << 20;
// Of a longer request only the beginning is read: at least this much of it.
constexpr std::int64_t request_bytes = 128 << 10;

bool in_page_cache(int descriptor, std::int64_t byte) {
  std::byte one;
  return read_cached(descriptor, byte, {&one, 1}) == 1;
}

}  // namespace

void read_ahead::before(int descriptor, std::int64_t first, std::int64_t end, std::int64_t size) noexcept {
  const std::int64_t until = std::min(end + window_bytes, size);
  std::int64_t asked = asked_.load(std::memory_order_relaxed);
  if (until <= asked || until <= first || in_page_cache(descriptor, until - 1)) return;
  do {
    if (until <= asked) return;
  } while (!asked_.compare_exchange_weak(asked, until, std::memory_order_relaxed));
  for (std::int64_t at = std::max(first, asked); at < until; at += request_bytes) {
    ::posix_fadvise(descriptor, at, std::min(request_bytes, until - at), POSIX_FADV_WILLNEED);
  }
}

}  // namespace multifold::inline v0_1::io
