// RWF_NOWAIT.
#include "io/files/page_cache.hpp"

#include <sys/uio.h>

#include <algorithm>

#include "io/files/file_descriptor.hpp"

namespace multifold::inline v0_1::io {

std::size_t read_cached(int descriptor, std::int64_t offset, std::span<std::byte> buffer) noexcept {
  const iovec where{buffer.data(), std::min(buffer.size(), most_bytes_per_call)};
  const ssize_t got = ::preadv2(descriptor, &where, 1, offset, RWF_NOWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace multifold::inline v0_1::io
