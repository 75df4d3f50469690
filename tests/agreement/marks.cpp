// Runs of marks, so that whole stretches are in or out, and any byte but zero is true.
#include "agreement/marks.hpp"

#include "agreement/data.hpp"

namespace multifold::agreement {

marks_of::marks_of(const trial& t) : extents_(t.extents) {
  const marks& m = *t.marked;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if ((m.repeats >> i & 1) != 0) extents_[i] = 1;
  }
  const array_view whole = broadcast_to(view(), t.extents);
  strides_ = whole.strides;
  memory_.resize(static_cast<std::size_t>(element_count(extents_)));
  const std::uint64_t run = m.seed % 5 == 0 ? 1 + m.seed % 61 : 1;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::uint64_t bits = mixed(m.seed, i / run);
    if (static_cast<int>(bits % 100) < m.percent) memory_[i] = static_cast<std::byte>(bits >> 32 | 1);
  }
}

array_view marks_of::view() const {
  return make_view(static_cast<const void*>(memory_.data()), dtype::boolean, extents_);
}

}  // namespace multifold::agreement
