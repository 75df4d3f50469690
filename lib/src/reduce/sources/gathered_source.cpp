// A range of elements is a few boxes of the view.
#include "reduce/sources/gathered_source.hpp"

#include <algorithm>

#include "stream/copies/strided_copy.hpp"

namespace multifold::inline v0_1::detail {

gathered_source::gathered_source(const array_view& view, const std::vector<std::int64_t>& order)
    : data_(static_cast<const std::byte*>(view.data)),
      layout_{view.type, {view.elements()}, false},
      elements_(view.elements()) {
  for (const std::int64_t axis : order) {
    const auto at = static_cast<std::size_t>(axis);
    if (view.extents[at] == 1) continue;
    nest_.all.push_back(static_cast<int>(nest_.loops.size()));
    nest_.loops.push_back({view.extents[at], view.strides[at], 0, 0, 0, false});
  }
}

std::int64_t gathered_source::read(std::int64_t first, std::span<std::byte> chunk) {
  const std::int64_t item = item_bytes(layout_.type);
  const std::int64_t count = std::min(static_cast<std::int64_t>(chunk.size()) / item, elements_ - first);
  if (count <= 0) return 0;
  std::byte* to = chunk.data();
  const auto gather = [&](const host::box& b) {
    std::vector<stream::copy_loop> loops(nest_.loops.size());
    std::int64_t here = 1, offset = 0;
    for (std::size_t i = nest_.loops.size(); i-- > 0;) {
      loops[i] = {b[i].end - b[i].begin, here, nest_.loops[i].stride};
      here *= loops[i].extent;
      offset += b[i].begin * nest_.loops[i].stride;
    }
    stream::strided_copy(to, data_ + offset * item, item, std::move(loops));
    to += here * item;
  };
  if (nest_.all.empty()) gather({});  // a single element
  else host::cut(nest_, nest_.all, {first, first + count}, host::whole(nest_), gather);
  return count;
}

}  // namespace multifold::inline v0_1::detail
