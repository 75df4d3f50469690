// Exact sums for the few accumulators that need one: a run's own memory, shared by its threads.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "multifold/exact/accumulator.hpp"

namespace multifold::host {

/// Hands out empty sums, and takes them back for others. Threads keep to shards of their own as long as those last, so
/// that they seldom wait for each other.
/// Memory: as much as was out at the same time; freed with the arena.
/// Throws: std::bad_alloc.
template <floating_storage T>
class exact_arena {
 public:
  exact_sum<T>& acquire() {
    shard& mine = my_shard();
    exact_sum<T>* sum = nullptr;
    {
      const std::lock_guard lock(mine.mutex);
      if (mine.unused.empty()) mine.grow();
      sum = mine.unused.back();
      mine.unused.pop_back();
    }
    *sum = {};
    return *sum;
  }

  void release(exact_sum<T>& sum) {
    shard& mine = my_shard();
    const std::lock_guard lock(mine.mutex);
    mine.unused.push_back(&sum);
  }

 private:
  static constexpr std::size_t first_block = 8, largest_block = 4096;

  struct alignas(64) shard {
    std::mutex mutex;
    std::vector<std::unique_ptr<exact_sum<T>[]>> blocks;
    std::vector<exact_sum<T>*> unused;
    std::size_t next_block = first_block;

    void grow() {
      auto block = std::make_unique<exact_sum<T>[]>(next_block);
      unused.reserve(unused.size() + next_block);
      blocks.push_back(std::move(block));
      for (std::size_t i = next_block; i-- > 0;) unused.push_back(&blocks.back()[i]);
      next_block = next_block < largest_block ? 2 * next_block : largest_block;
    }
  };

  shard& my_shard() { return shards_[std::hash<std::thread::id>{}(std::this_thread::get_id()) % shards_.size()]; }

  std::array<shard, 32> shards_;
};

}  // namespace multifold::host
