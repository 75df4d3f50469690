// Marks of the elements that take part (reduce_options::where), made of a trial's few numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agreement/trial/trial.hpp"
#include "multifold/array.hpp"

namespace multifold::agreement {

class marks_of {
 public:
  explicit marks_of(const trial& t);

  /// As reduce() takes them: with an extent of 1 where they repeat, or without axes that they repeat along.
  array_view view() const;
  /// Strides of a view of them that has the extents of the trial.
  const std::vector<std::int64_t>& strides() const { return repeated_; }
  bool at(std::int64_t place) const { return memory_[static_cast<std::size_t>(first_ + place)] != std::byte{0}; }

 private:
  std::vector<std::int64_t> extents_, strides_, repeated_;
  std::int64_t first_ = 0;
  bool short_ = false;
  std::vector<std::byte> memory_;
};

}  // namespace multifold::agreement
