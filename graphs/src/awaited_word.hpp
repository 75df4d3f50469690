// A result of a few bytes that a kernel writes to pinned memory, awaited there: the stream tells later that the kernel
// has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace multifold::inline v0_1::graphs {

class awaited_word {
 public:
  /// Of no bytes or too many for one store: it is never awaited.
  explicit awaited_word(std::int64_t bytes) {
    if (bytes > 0 && bytes <= 8) mask_ = bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * bytes)) - 1;
  }

  /// Before the launch. `at` is aligned to 8 bytes and has as many.
  void expect(void* at) {
    if (mask_ == 0) return;
    at_ = static_cast<volatile std::uint64_t*>(at);
    *at_ = absent;
  }

  /// Whether it came. If not, it is no news: the stream has to be waited for, for the kernel may be slow, or the result
  /// may have the bits of none.
  bool came() const {
    if (mask_ == 0) return false;
    const auto until = std::chrono::steady_clock::now() + longest;
    do {
      for (int i = 0; i < 256; ++i) {
        if (((*at_ ^ absent) & mask_) == 0) continue;
        std::atomic_thread_fence(std::memory_order_acquire);
        return true;
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

 private:
  static constexpr std::uint64_t absent = UINT64_C(0xfff5'a5a5'fff5'a5a5);  // bits that results hardly have
  // What is longer in coming is a matter of more than a launch.
  static constexpr std::chrono::microseconds longest{200};

  std::uint64_t mask_ = 0;  // of its bytes; little-endian, as all hosts of CUDA are
  volatile std::uint64_t* at_ = nullptr;
};

}  // namespace multifold::inline v0_1::graphs
