// Elements in the order of their keys: how groups become segments. Private to the API.
#pragma once

#include <cstdint>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "multifold/array.hpp"

namespace multifold::inline v0_1::detail {

class grouping {
 public:
  /// Counts the keys, which are a list of i32 or i64 in host memory.
  /// Throws: shape_error for a key that is no group; out_of_memory.
  grouping(const array_view& keys, std::int64_t groups);

  /// Where each group begins, and where the last one ends.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  /// The first group without elements; -1 if there is none.
  std::int64_t first_empty() const;
  /// Whether elements are in order as they are.
  bool ascends() const { return ascends_; }

  /// Copies of `arrays` (one or two of the same layout) whose elements along `axis` are in the order of groups; their
  /// memory is that of this object. `remember`: for position().
  std::vector<array_view> in_order(const std::vector<array_view>& arrays, std::size_t axis, bool remember);

  /// The place along the axis of element `index` of group `group`.
  std::int64_t position(std::int64_t group, std::int64_t index) const {
    const std::int64_t place = offsets_[static_cast<std::size_t>(group)] + index;
    return ascends_ ? place : order_[static_cast<std::size_t>(place)];
  }

 private:
  const array_view keys_;
  std::vector<std::int64_t> offsets_, order_;
  bool ascends_ = true;
  std::vector<host::aligned_bytes> copies_;
};

}  // namespace multifold::inline v0_1::detail
