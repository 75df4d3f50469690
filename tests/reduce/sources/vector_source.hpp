// A source over a vector, dense and in order. For tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "multifold/source.hpp"

namespace multifold {

template <storage_type T>
class vector_source : public source {
 public:
  /// Extents of {-1} stand for a length that is not known; they, and pipes, are read in order.
  vector_source(std::vector<T> x, std::vector<std::int64_t> extents, std::string name = "vector",
                bool fortran_order = false, bool pipe = false)
      : x_(std::move(x)),
        name_(std::move(name)),
        layout_{dtype_of<T>, std::move(extents), fortran_order},
        pipe_(pipe) {}

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return !pipe_ && layout_.extents != std::vector<std::int64_t>{-1}; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const auto item = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t count = std::min(static_cast<std::int64_t>(chunk.size()) / item, elements() - first);
    if (count > 0) std::memcpy(chunk.data(), x_.data() + first, static_cast<std::size_t>(count * item));
    return count;
  }

 private:
  std::int64_t elements() const { return static_cast<std::int64_t>(x_.size()); }

  const std::vector<T> x_;
  const std::string name_;
  const array_layout layout_;
  const bool pipe_;
};

}  // namespace multifold
