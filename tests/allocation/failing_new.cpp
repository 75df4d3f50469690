// The replaceable functions, all of them by way of malloc.
#include "allocation/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace multifold::testing_memory {
namespace {

std::atomic<std::int64_t> countdown{0}, live{0};
std::atomic<bool> failed{false};

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (countdown.load() > 0 && countdown.fetch_sub(1) == 1) {
    failed = true;
    return nullptr;
  }
  bytes = bytes > 0 ? bytes : 1;
  void* const p = alignment <= alignof(std::max_align_t)
                      ? std::malloc(bytes)
                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p != nullptr) ++live;
  return p;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const p = allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}

void release(void* p) noexcept {
  if (p != nullptr) --live;
  std::free(p);
}

}  // namespace

void fail_allocation(std::int64_t n) noexcept {
  failed = false;
  countdown = n;
}

bool has_failed() noexcept { return failed; }

std::int64_t live_blocks() noexcept { return live; }

}  // namespace multifold::testing_memory

using multifold::testing_memory::allocate;
using multifold::testing_memory::allocate_or_throw;
using multifold::testing_memory::release;

void* operator new(std::size_t n) { return allocate_or_throw(n, 1); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
