// Copies a strided tile to dense rows, whatever the elements mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace multifold::inline v0_1::host {

struct tile_shape {
  std::int64_t rows, row_stride;  // strides in elements
  std::int64_t width, stride;
};

/// `from` is the tile's first element; `into` takes rows * width elements of `item` bytes.
void gather(std::int64_t item, const std::byte* from, const tile_shape& shape, std::byte* into);

/// Several such tiles, `tile_stride` elements apart, side by side: row r of the copy is row r of the first tile, of the
/// second, and so on.
void gather_beside(std::int64_t item, const std::byte* from, const tile_shape& shape, std::int64_t tiles,
                   std::int64_t tile_stride, std::byte* into);

}  // namespace multifold::inline v0_1::host
