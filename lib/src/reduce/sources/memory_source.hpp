// A dense array in host memory as a source: for the GPU engine, which sends on what is read, and never looks at it.
#pragma once

#include <algorithm>
#include <string>

#include "multifold/array.hpp"
#include "multifold/source.hpp"
#include "stream/copies/staging_copy.hpp"

namespace multifold::inline v0_1::detail {

class memory_source : public source {
 public:
  /// The axes of `view` may lie in any order: elements come as they are numbered in memory.
  explicit memory_source(const array_view& view)
      : data_(static_cast<const std::byte*>(view.data)),
        layout_{view.type, {view.elements()}, false},
        elements_(view.elements()) {}

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const std::int64_t item = item_bytes(layout_.type);
    const std::int64_t count = std::min(static_cast<std::int64_t>(chunk.size()) / item, elements_ - first);
    if (count > 0) stream::staging_copy(chunk.data(), data_ + first * item, count * item);
    return count;
  }

 private:
  const std::string name_ = "host memory";
  const std::byte* data_;
  const array_layout layout_;
  const std::int64_t elements_;
};

}  // namespace multifold::inline v0_1::detail
