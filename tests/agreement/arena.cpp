// Guard pages by mmap, canaries by comparison.
#include "agreement/arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace multifold::agreement {

guarded_memory::guarded_memory(std::int64_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  size_ = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
  mapped_ = size_ + 2 * page;
  mapping_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapping_) + page;
  if (mprotect(data_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

guarded_memory::~guarded_memory() { munmap(mapping_, mapped_); }

std::span<std::byte> result_memory::prepare(std::int64_t bytes) {
  const std::int64_t wanted = bytes + 2 * canary_bytes + 64;
  if (wanted > capacity_) {
    memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(wanted));
    capacity_ = wanted;
  }
  std::memset(memory_.get(), static_cast<int>(poison), static_cast<std::size_t>(wanted));
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
  begin_ = memory_.get() + canary_bytes + (64 - address % 64) % 64;
  bytes_ = bytes;
  return {begin_, static_cast<std::size_t>(bytes)};
}

bool result_memory::intact() const {
  const auto poisoned = [](std::byte b) { return b == poison; };
  return std::all_of(begin_ - canary_bytes, begin_, poisoned) &&
         std::all_of(begin_ + bytes_, begin_ + bytes_ + canary_bytes, poisoned);
}

}  // namespace multifold::agreement
