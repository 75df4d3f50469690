// A stretch of a source as a source of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/source.hpp"

namespace multifold::detail {

/// The elements [first, first + count) of `whole`, which has random access, in memory order as one axis.
class window_source final : public source {
 public:
  window_source(source& whole, std::int64_t first, std::int64_t count)
      : whole_(whole), first_(first), count_(count), layout_{whole.layout().type, {count}, false} {}

  const std::string& name() const noexcept override { return whole_.name(); }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const std::int64_t rest = std::max<std::int64_t>(count_ - first, 0) * item_bytes(layout_.type);
    return whole_.read(first_ + first, chunk.first(std::min(chunk.size(), static_cast<std::size_t>(rest))));
  }

 private:
  source& whole_;
  std::int64_t first_;
  std::int64_t count_;
  array_layout layout_;
};

}  // namespace multifold::detail
