// Copies a strided tile to dense rows, whatever the elements mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace multifold::host {

struct tile_shape {
  std::int64_t rows, row_stride;  // strides in elements
  std::int64_t width, stride;
};

/// `from` is the tile's first element; `into` takes rows * width elements of `item` bytes.
void gather(std::int64_t item, const std::byte* from, const tile_shape& shape, std::byte* into);

}  // namespace multifold::host
