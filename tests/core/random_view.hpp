// Strided views as slicing, transposing, flipping and broadcasting make them, for tests over thousands of shapes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multifold/array.hpp"
#include "random_bits.hpp"

namespace multifold::testing_views {

/// A view without data, and where its first element stands in a buffer of `buffer_elements`.
struct random_view {
  array_view view;
  std::int64_t first = 0;
  std::int64_t buffer_elements = 1;
};

inline std::int64_t draw(test::random_bits& random, std::int64_t least, std::int64_t greatest) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(greatest - least + 1));
}

/// Rank 0 to 6 and up to some hundreds of elements; an extent of 0 is rare, of 1 common.
inline random_view make_random_view(test::random_bits& random, dtype type, std::int64_t most_elements = 600) {
  const std::int64_t rank = draw(random, 0, 6);
  random_view made;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // extent, stride
  std::int64_t stride = 1, elements = 1;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    std::int64_t extent = draw(random, 0, 40) == 0 ? 0 : draw(random, 1, draw(random, 0, 3) == 0 ? 60 : 4);
    if (elements * extent > most_elements) extent = 1;
    if (extent > 0) elements *= extent;
    const std::int64_t step = draw(random, 0, 4) == 0 ? draw(random, 2, 3) : 1;
    const bool flipped = draw(random, 0, 4) == 0, repeated = draw(random, 0, 7) == 0;
    const std::int64_t reach = step * stride * std::max<std::int64_t>(extent - 1, 0);
    if (flipped && !repeated) made.first += reach;
    axes.emplace_back(extent, repeated ? 0 : flipped ? -step * stride : step * stride);
    if (!repeated) {
      made.buffer_elements += reach;
      stride *= step * std::max<std::int64_t>(extent, 1);
    }
  }
  // Built fastest axis first: row-major is the reverse, and any other order is a transposition.
  if (draw(random, 0, 2) == 0) std::shuffle(axes.begin(), axes.end(), random);
  else if (draw(random, 0, 3) != 0) std::reverse(axes.begin(), axes.end());
  made.view.type = type;
  for (const auto& [extent, axis_stride] : axes) {
    made.view.extents.push_back(extent);
    made.view.strides.push_back(axis_stride);
  }
  return made;
}

/// Some of the axes, in any order, some of them counted from the end.
inline std::vector<std::int64_t> random_axes(test::random_bits& random, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (draw(random, 0, 1) == 0) axes.push_back(draw(random, 0, 3) == 0 ? axis - rank : axis);
  }
  std::shuffle(axes.begin(), axes.end(), random);
  return axes;
}

/// The oracle: for every result in C order, the offsets of its elements in C order of the reduced axes.
inline std::vector<std::vector<std::int64_t>> offsets_by_result(const array_view& view,
                                                                const std::vector<std::int64_t>& axes) {
  std::vector<bool> reduced(view.extents.size(), false);
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + view.rank() : axis)] = true;
  std::int64_t results = 1;
  for (std::size_t i = 0; i < reduced.size(); ++i) results *= reduced[i] ? 1 : view.extents[i];
  std::vector<std::vector<std::int64_t>> offsets(static_cast<std::size_t>(results));
  const std::int64_t elements = view.elements();
  for (std::int64_t position = 0; position < elements; ++position) {
    std::int64_t rest = position, offset = 0, result = 0, result_step = 1;
    for (std::size_t i = view.extents.size(); i-- > 0; rest /= view.extents[i]) {
      const std::int64_t at = rest % view.extents[i];
      offset += at * view.strides[i];
      if (reduced[i]) continue;
      result += at * result_step;
      result_step *= view.extents[i];
    }
    offsets[static_cast<std::size_t>(result)].push_back(offset);
  }
  return offsets;
}

}  // namespace multifold::testing_views
