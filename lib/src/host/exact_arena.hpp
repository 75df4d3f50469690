// Exact sums for the few accumulators that need one: a run's own memory, shared by its threads.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::host {

/// Hands out empty sums, and takes them back for others. Threads keep to shards of their own as long as those last, so
/// that they seldom wait for each other; what one thread takes back is found by the others before the arena grows.
/// Memory: about twice what was out at the same time; freed with the arena.
/// Throws: out_of_memory.
template <floating_storage T>
class exact_arena {
 public:
  exact_sum<T>& acquire() try {
    const std::size_t mine = my_shard();
    exact_sum<T>* sum = shards_[mine].take();
    for (std::size_t i = 1; i < shards_.size() && sum == nullptr; ++i) {
      sum = shards_[(mine + i) % shards_.size()].take();
    }
    if (sum == nullptr) sum = shards_[mine].grow();
    *sum = {};
    return *sum;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("there is no memory for the exact sums of so many results of such different magnitudes: " +
                        std::string("reduce fewer batches at a time"));
  }

  void release(exact_sum<T>& sum) {
    shard& mine = shards_[my_shard()];
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

    exact_sum<T>* take() {
      const std::lock_guard lock(mutex);
      if (unused.empty()) return nullptr;
      exact_sum<T>* const sum = unused.back();
      unused.pop_back();
      return sum;
    }

    exact_sum<T>* grow() {
      const std::lock_guard lock(mutex);
      unused.reserve(unused.size() + next_block);
      blocks.push_back(std::make_unique<exact_sum<T>[]>(next_block));
      for (std::size_t i = next_block; --i > 0;) unused.push_back(&blocks.back()[i]);
      next_block = next_block < largest_block ? 2 * next_block : largest_block;
      return &blocks.back()[0];
    }
  };

  std::size_t my_shard() const { return std::hash<std::thread::id>{}(std::this_thread::get_id()) % shards_.size(); }

  std::array<shard, 32> shards_;
};

}  // namespace multifold::host
