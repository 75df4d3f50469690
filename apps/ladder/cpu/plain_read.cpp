// An exclusive or of all words: one instruction for each register of them.
#include "cpu/plain_read.hpp"

#include "cpu/06_threads.hpp"

namespace multifold::ladder::cpu {
namespace {

#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
std::uint64_t
mix(const std::uint64_t* words, std::int64_t count) {
  std::uint64_t lanes[32] = {};
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (int k = 0; k < 32; ++k) lanes[k] ^= words[i + k];
  }
  for (; i < count; ++i) lanes[0] ^= words[i];
  for (int k = 1; k < 32; ++k) lanes[0] ^= lanes[k];
  return lanes[0];
}

// As an operation for the rung that starts threads.
struct exclusive_or {
  using value_type = std::uint64_t;
  using acc = std::uint64_t;
  static acc identity() { return 0; }
  static acc combine(acc a, acc b) { return a ^ b; }
};

}  // namespace

std::uint64_t plain_read(const void* data, std::int64_t bytes, int count) {
  const auto* const words = static_cast<const std::uint64_t*>(data);
  return threads<exclusive_or>({words, words, 0, bytes / 8}, count,
                               [](const auto& part) { return mix(part.x + part.first, part.end - part.first); });
}

}  // namespace multifold::ladder::cpu
