// An array in host memory with gaps, repeats or any order of its axes, as a dense one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/shape/nest.hpp"
#include "multifold/array.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::detail {

/// The elements of a view, in row-major order of its axes in a given order. What is read is gathered then.
class gathered_source final : public source {
 public:
  /// `order`: numbers of all axes, slowest first.
  gathered_source(const array_view& view, const std::vector<std::int64_t>& order);

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override;

 private:
  const std::string name_ = "host memory";
  const std::byte* data_;
  const array_layout layout_;
  const std::int64_t elements_;
  host::nest nest_;  // strides are those of the view
};

}  // namespace multifold::inline v0_1::detail
