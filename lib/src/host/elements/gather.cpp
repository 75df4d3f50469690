// One loop per element size; a stride of 0 is a fill.
#include "host/elements/gather.hpp"

#include <algorithm>

#include "host/elements/packed.hpp"

namespace multifold::inline v0_1::host {
namespace {

template <class Word>
void gather_words(const std::byte* from, const tile_shape& shape, std::byte* into) {
  auto* out = reinterpret_cast<packed<Word>*>(into);
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const packed<Word>* const row = packed_at<Word>(from) + r * shape.row_stride;
    if (shape.stride == 0) {
      const packed<Word> word = *row;
      for (std::int64_t k = 0; k < shape.width; ++k) out[k] = word;
    } else if (shape.stride == 1) {
      std::copy_n(row, shape.width, out);
    } else {
      for (std::int64_t k = 0; k < shape.width; ++k) out[k] = row[k * shape.stride];
    }
    out += shape.width;
  }
}

// Most tiles are a few elements wide: a width that the compiler knows takes half the time.
template <int Width, class Word>
void gather_tile_beside(const packed<Word>* from, const tile_shape& shape, std::int64_t pitch, packed<Word>* out) {
  const std::int64_t width = Width > 0 ? Width : shape.width;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t k = 0; k < width; ++k) out[k] = from[k * shape.stride];
    from += shape.row_stride;
    out += pitch;
  }
}

template <class Word>
void gather_words_beside(const std::byte* from, const tile_shape& shape, std::int64_t tiles, std::int64_t tile_stride,
                         std::byte* into) {
  auto* out = reinterpret_cast<packed<Word>*>(into);
  const packed<Word>* tile = packed_at<Word>(from);
  const std::int64_t pitch = tiles * shape.width;
  for (std::int64_t t = 0; t < tiles; ++t, tile += tile_stride, out += shape.width) {
    switch (shape.width) {
      case 2: gather_tile_beside<2>(tile, shape, pitch, out); continue;
      case 3: gather_tile_beside<3>(tile, shape, pitch, out); continue;
      case 4: gather_tile_beside<4>(tile, shape, pitch, out); continue;
    }
    gather_tile_beside<0>(tile, shape, pitch, out);
  }
}

}  // namespace

void gather_beside(std::int64_t item, const std::byte* from, const tile_shape& shape, std::int64_t tiles,
                   std::int64_t tile_stride, std::byte* into) {
  if (item == 1) gather_words_beside<std::uint8_t>(from, shape, tiles, tile_stride, into);
  else if (item == 2) gather_words_beside<std::uint16_t>(from, shape, tiles, tile_stride, into);
  else if (item == 4) gather_words_beside<std::uint32_t>(from, shape, tiles, tile_stride, into);
  else gather_words_beside<std::uint64_t>(from, shape, tiles, tile_stride, into);
}

void gather(std::int64_t item, const std::byte* from, const tile_shape& shape, std::byte* into) {
  if (item == 1) gather_words<std::uint8_t>(from, shape, into);
  else if (item == 2) gather_words<std::uint16_t>(from, shape, into);
  else if (item == 4) gather_words<std::uint32_t>(from, shape, into);
  else gather_words<std::uint64_t>(from, shape, into);
}

}  // namespace multifold::inline v0_1::host
