// Neighbouring elements of a source, as a source. Private to the API.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "multifold/array.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::detail {

class source_slice final : public source {
 public:
  /// `layout`: of the elements of `from` from number `first` on.
  source_slice(source& from, std::int64_t first, array_layout layout)
      : from_(from), first_(first), elements_(element_count(layout.extents)), layout_(std::move(layout)) {}

  const std::string& name() const noexcept override { return from_.name(); }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return from_.random_access(); }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const auto left = static_cast<std::size_t>((elements_ - first) * item_bytes(layout_.type));
    return from_.read(first_ + first, chunk.first(std::min(chunk.size(), left)));
  }

 private:
  source& from_;
  const std::int64_t first_, elements_;
  const array_layout layout_;
};

}  // namespace multifold::inline v0_1::detail
