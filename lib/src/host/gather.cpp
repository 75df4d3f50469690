// One loop per element size; a stride of 0 is a fill.
#include "host/gather.hpp"

#include <algorithm>

#include "host/packed.hpp"

namespace multifold::host {
namespace {

template <class Word>
void gather_words(const std::byte* from, const tile_shape& shape, std::byte* into) {
  auto* out = reinterpret_cast<packed<Word>*>(into);
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const packed<Word>* const row = packed_at<Word>(from) + r * shape.row_stride;
    if (shape.stride == 0) {
      const packed<Word> word = *row;
      for (std::int64_t k = 0; k < shape.width; ++k) out[k] = word;
    } else {
      for (std::int64_t k = 0; k < shape.width; ++k) out[k] = row[k * shape.stride];
    }
    out += shape.width;
  }
}

}  // namespace

void gather(std::int64_t item, const std::byte* from, const tile_shape& shape, std::byte* into) {
  if (item == 1) gather_words<std::uint8_t>(from, shape, into);
  else if (item == 2) gather_words<std::uint16_t>(from, shape, into);
  else if (item == 4) gather_words<std::uint32_t>(from, shape, into);
  else gather_words<std::uint64_t>(from, shape, into);
}

}  // namespace multifold::host
