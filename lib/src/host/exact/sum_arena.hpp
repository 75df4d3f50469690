// Wide sums for the few accumulators that need one: a run's own memory, shared by its threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {

/// There is no room for more wide sums within the limit of an arena.
class arena_full : public out_of_memory {
 public:
  using out_of_memory::out_of_memory;
};

/// What a fold knows of its arena.
class spill_arena {
 public:
  virtual ~spill_arena() = default;

  /// From now on at most this much memory, but for one sum.
  void limit_to(std::int64_t bytes) { limit_ = bytes; }

 protected:
  std::atomic<std::int64_t> limit_{INT64_MAX};
};

/// Hands out empty sums, and takes them back for others. Threads keep to shards of their own as long as those last, so
/// that they seldom wait for each other; what one thread takes back is found by the others before the arena grows.
/// Memory: one sum in the arena itself; with more, about twice what was out at the same time, and no more than the
///         limit; freed with the arena.
/// Throws: out_of_memory, arena_full.
template <class Sum>
class sum_arena final : public spill_arena {
 public:
  sum_arena() noexcept {}  // not defaulted: std::make_shared would clear the place of the first sum
  ~sum_arena() override { delete shards_.load(); }
  sum_arena(const sum_arena&) = delete;
  sum_arena& operator=(const sum_arena&) = delete;

  Sum& acquire() try {
    if (!first_is_out_.exchange(true, std::memory_order_acquire)) return *new (first_) Sum{};
    shards& all = made_shards();
    const std::size_t mine = my_shard();
    Sum* sum = all[mine].take();
    for (std::size_t i = 1; i < all.size() && sum == nullptr; ++i) sum = all[(mine + i) % all.size()].take();
    if (sum == nullptr) sum = grow(all[mine]);
    *sum = {};
    return *sum;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("there is no memory for the exact sums of so many results of such different magnitudes: " +
                        std::string("reduce fewer batches at a time"));
  }

  void release(Sum& sum) {
    if (reinterpret_cast<std::byte*>(&sum) == first_) return first_is_out_.store(false, std::memory_order_release);
    shard& mine = (*shards_.load())[my_shard()];
    const std::lock_guard lock(mine.mutex);
    mine.unused.push_back(&sum);
  }

 private:
  static constexpr std::size_t first_block = 8, largest_block = 4096;
  static constexpr auto sum_bytes = static_cast<std::int64_t>(sizeof(Sum));

  struct alignas(64) shard {
    std::mutex mutex;
    std::vector<std::unique_ptr<Sum[]>> blocks;
    std::vector<Sum*> unused;
    std::size_t next_block = first_block;

    Sum* take() {
      const std::lock_guard lock(mutex);
      if (unused.empty()) return nullptr;
      Sum* const sum = unused.back();
      unused.pop_back();
      return sum;
    }

    Sum* grow(std::size_t count) {
      const std::lock_guard lock(mutex);
      unused.reserve(unused.size() + count);
      blocks.push_back(std::make_unique<Sum[]>(count));
      for (std::size_t i = count; --i > 0;) unused.push_back(&blocks.back()[i]);
      next_block = next_block < largest_block ? 2 * next_block : largest_block;
      return &blocks.back()[0];
    }
  };

  using shards = std::array<shard, 32>;

  // Most runs need none.
  shards& made_shards() {
    if (shards* const made = shards_.load()) return *made;
    auto fresh = std::make_unique<shards>();
    shards* other = nullptr;
    return shards_.compare_exchange_strong(other, fresh.get()) ? *fresh.release() : *other;
  }

  // By as many as it should be, or as many as there is room for.
  Sum* grow(shard& mine) {
    const std::int64_t room = (limit_ - bytes_) / sum_bytes;
    if (room <= 0) {
      throw arena_full("the exact sums of so many results of such different magnitudes take more than the " +
                       std::to_string(limit_) + " bytes that there are for them: allow more memory");
    }
    const auto count = std::min(mine.next_block, static_cast<std::size_t>(room));
    Sum* const sum = mine.grow(count);
    bytes_ += static_cast<std::int64_t>(count) * sum_bytes;
    return sum;
  }

  static std::size_t my_shard() {
    return std::hash<std::thread::id>{}(std::this_thread::get_id()) % std::tuple_size_v<shards>;
  }

  std::atomic<bool> first_is_out_{false};
  std::atomic<shards*> shards_{nullptr};
  std::atomic<std::int64_t> bytes_{sum_bytes};
  alignas(Sum) std::byte first_[sizeof(Sum)];
};

}  // namespace multifold::inline v0_1::host
