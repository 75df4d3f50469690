// Runs of marks, so that whole runs are in or out, and any byte but zero is true.
#include "agreement/trial/marks.hpp"

#include <algorithm>

#include "agreement/reference/odometer.hpp"
#include "agreement/trial/data.hpp"

namespace multifold::agreement {
namespace {

// What lies between marks is true.
constexpr std::byte gap{0xff};

std::vector<std::int64_t> strides_of(marks::layout lie, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides = lie == marks::layout::transposed ? fortran_strides(extents) : c_strides(extents);
  for (std::int64_t& stride : strides) {
    if (lie == marks::layout::reversed) stride = -stride;
    if (lie == marks::layout::gaps) stride *= 3;
  }
  return strides;
}

}  // namespace

marks_of::marks_of(const trial& t) : extents_(t.extents) {
  const marks& m = *t.marked;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if ((m.repeats >> i & 1) != 0) extents_[i] = 1;
  }
  strides_ = strides_of(m.lie, extents_);
  const extent_in_memory reach = reach_of(extents_, strides_);
  first_ = reach.first;
  memory_.assign(static_cast<std::size_t>(reach.elements), gap);
  const std::uint64_t run = m.seed % 5 == 0 ? 1 + m.seed % 61 : 1;
  std::vector<wheel> wheels;
  for (std::size_t i = 0; i < extents_.size(); ++i) wheels.push_back({extents_[i], {strides_[i], 0, 0}});
  std::uint64_t index = 0;
  turn(wheels, {first_, 0, 0}, [&](const offsets& at) {
    const std::uint64_t bits = mixed(m.seed, index++ / run);
    const bool marked = static_cast<int>(bits % 100) < m.percent;
    memory_[static_cast<std::size_t>(at[0])] = marked ? static_cast<std::byte>(bits >> 32 | 1) : std::byte{0};
  });
  repeated_ = strides_;
  for (std::size_t i = 0; i < repeated_.size(); ++i) {
    if (extents_[i] != t.extents[i]) repeated_[i] = 0;
  }
  short_ = m.seed % 2 == 1;
}

array_view marks_of::view() const {
  std::ptrdiff_t from = 0;
  const auto rank = static_cast<std::ptrdiff_t>(extents_.size());
  while (short_ && from < rank && extents_[static_cast<std::size_t>(from)] == 1) ++from;
  return {memory_.data() + first_,
          dtype::boolean,
          {extents_.begin() + from, extents_.end()},
          {strides_.begin() + from, strides_.end()}};
}

}  // namespace multifold::agreement
