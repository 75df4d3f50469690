// Some results of a case again, from copies of their elements, by somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "surface_case.hpp"

namespace bench::surface {

/// Some axes of a case, as kernels take them: where their elements lie, in the order of their indices.
struct walk {
  static constexpr int most_axes = 8;
  int axes = 0;
  std::int64_t extents[most_axes] = {}, strides[most_axes] = {};

  MULTIFOLD_HD std::int64_t offset_of(std::int64_t index) const {
    std::int64_t offset = 0;
    for (int axis = axes; axis-- > 0;) {
      offset += index % extents[axis] * strides[axis];
      index /= extents[axis];
    }
    return offset;
  }
};

walk kept_axes(const surface_case& c);
walk reduced_axes(const surface_case& c);

/// Results that are looked at: some, as far as their elements are no more than so many.
std::vector<std::int64_t> sampled(const surface_case& c, std::uint64_t seed, std::int64_t most_elements);

/// The bytes of the results of a dense array of rows, reduced along axis 1.
using oracle = std::function<std::vector<std::byte>(const multifold::array_view& x, const void* y)>;

/// What is wrong with `got`, the bytes of `count` sampled results; nothing if they are right. `x` and `y` are dense
/// arrays of their elements.
std::string difference(const surface_case& c, std::int64_t count, const std::vector<std::byte>& got,
                       const std::vector<std::byte>& x, const std::vector<std::byte>& y, const oracle& by);

/// The median of a few runs: fewer if they take long.
double median_seconds(const std::function<double()>& run);

}  // namespace bench::surface
