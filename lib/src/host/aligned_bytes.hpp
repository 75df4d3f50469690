// A block of memory that starts on a cache line, untouched, so that the thread that uses it first owns its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {

struct aligned_delete {
  void operator()(std::byte* p) const noexcept { ::operator delete (p, std::align_val_t{64}); }
};

using aligned_bytes = std::unique_ptr<std::byte[], aligned_delete>;

/// Empty if there is no such block.
inline aligned_bytes try_allocate(std::int64_t bytes) noexcept {
  void* const p = ::operator new (static_cast<std::size_t>(bytes > 0 ? bytes : 1), std::align_val_t{64}, std::nothrow);
  return aligned_bytes(static_cast<std::byte*>(p));
}

/// `count` accumulators; throws out_of_memory.
inline aligned_bytes allocate_accumulators(std::int64_t count, std::int64_t bytes_each) {
  std::int64_t bytes = 0;
  aligned_bytes memory;
  if (!__builtin_mul_overflow(count, bytes_each, &bytes)) memory = try_allocate(bytes);
  if (memory) return memory;
  throw out_of_memory("could not allocate " + std::to_string(count) + " partial results of " +
                      std::to_string(bytes_each) +
                      " bytes each in host memory: reduce more axes, or fewer batches at a time");
}

}  // namespace multifold::inline v0_1::host
