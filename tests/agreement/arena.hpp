// The memory of one worker, got once and used for case after case: arrays between pages that cannot be touched, and
// results that are poisoned, between canaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace multifold::agreement {

inline constexpr std::byte poison{0xa5};

/// Pages with a forbidden one on either side.
class guarded_memory {
 public:
  explicit guarded_memory(std::int64_t bytes);
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;
  ~guarded_memory();

  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Room for results, in a larger range of memory that is poisoned before.
class result_memory {
 public:
  static constexpr std::int64_t canary_bytes = 512;

  /// `bytes` of poison at a multiple of 64, between canaries.
  std::span<std::byte> prepare(std::int64_t bytes);
  /// Whether the canaries are as they were.
  bool intact() const;

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::int64_t capacity_ = 0, bytes_ = 0;
  std::byte* begin_ = nullptr;
};

}  // namespace multifold::agreement
