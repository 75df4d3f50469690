// Extents, strides and element counts, with every overflow refused.
#include "multifold/array.hpp"

#include <utility>

#include "multifold/axes.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1 {

std::string to_string(const std::vector<std::int64_t>& extents) {
  std::string text = "(";
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(extents[i]);
  }
  if (extents.size() == 1) text += ",";
  return text + ")";
}

std::int64_t element_count(const std::vector<std::int64_t>& extents) {
  // A zero anywhere makes the product zero, however large the others are; so zeros and signs are looked for first.
  bool empty = false;
  for (std::int64_t extent : extents) {
    if (extent < 0) throw shape_error("shape " + to_string(extents) + " has a negative extent");
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  std::int64_t count = 1;
  for (std::int64_t extent : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      throw shape_error("shape " + to_string(extents) + " has more than 2^63 - 1 elements");
    }
  }
  return count;
}

std::int64_t array_view::elements() const { return element_count(extents); }

std::vector<std::int64_t> c_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 0);
  if (element_count(extents) == 0) return strides;
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) strides[i] = stride;
  return strides;
}

std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 0);
  if (element_count(extents) == 0) return strides;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < extents.size(); stride *= extents[i++]) strides[i] = stride;
  return strides;
}

array_view make_view(const void* data, dtype type, std::vector<std::int64_t> extents, place where) {
  array_view view;
  view.data = data;
  view.type = type;
  view.strides = c_strides(extents);
  view.extents = std::move(extents);
  view.where = where;
  return view;
}

array_view broadcast_to(const array_view& view, const std::vector<std::int64_t>& extents) {
  array_view wide = view;
  wide.extents = extents;
  wide.strides.assign(extents.size(), 0);
  const std::size_t rank = view.extents.size();
  bool fits = rank <= extents.size() && view.strides.size() == rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    const std::size_t at = extents.size() - rank + i;
    if (view.extents[i] == extents[at]) wide.strides[at] = view.strides[i];
    else fits = view.extents[i] == 1;
  }
  if (fits) return wide;
  throw shape_error("an array of shape " + to_string(view.extents) + " cannot be broadcast to " + to_string(extents));
}

std::vector<std::int64_t> all_axes(std::int64_t rank) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  return axes;
}

std::vector<std::int64_t> axes::of(std::int64_t rank) const { return all_ ? all_axes(rank) : list_; }

}  // namespace multifold::inline v0_1
