// A source over memory that misbehaves on request.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace test {

struct behaviour {
  bool random_access = true;
  bool unknown_length = false;
  std::int64_t fails_at = -1;          // element whose read throws
  std::int64_t ends_at = -1;           // elements after which there is no more, whatever the layout says
  std::chrono::microseconds delay{0};  // of each read
};

class memory_source : public multifold::source {
 public:
  memory_source(multifold::array_layout layout, std::vector<std::byte> memory, behaviour how = {})
      : layout_(std::move(layout)), memory_(std::move(memory)), how_(how) {
    if (how_.unknown_length) layout_.extents = {-1};
  }

  const std::string& name() const noexcept override { return name_; }
  const multifold::array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return how_.random_access; }

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const bool alone = inside_.fetch_add(1) == 0;
    const leave at_exit{inside_};
    if (!how_.random_access && (!alone || first != next_))
      throw std::logic_error("a sequential source was read out of turn");
    if (how_.delay.count() > 0) std::this_thread::sleep_for(how_.delay);
    const std::int64_t item = multifold::item_bytes(layout_.type);
    std::int64_t total = static_cast<std::int64_t>(memory_.size()) / item;
    if (how_.ends_at >= 0) total = std::min(total, how_.ends_at);
    const std::int64_t count = std::min<std::int64_t>(static_cast<std::int64_t>(chunk.size()) / item, total - first);
    if (how_.fails_at >= first && how_.fails_at < first + count) {
      throw multifold::io_error("memory: read error at byte " + std::to_string(how_.fails_at * item));
    }
    if (count > 0) std::memcpy(chunk.data(), memory_.data() + first * item, static_cast<std::size_t>(count * item));
    next_ = first + count;
    largest_read = std::max<std::int64_t>(largest_read, static_cast<std::int64_t>(chunk.size()));
    return count;
  }

  const std::byte* data() const { return memory_.data(); }
  std::atomic<std::int64_t> largest_read{0};

 private:
  struct leave {
    std::atomic<int>& inside;
    ~leave() { --inside; }
  };
  std::string name_ = "memory";
  multifold::array_layout layout_;
  std::vector<std::byte> memory_;
  behaviour how_;
  std::atomic<int> inside_{0};
  std::atomic<std::int64_t> next_{0};
};

}  // namespace test
