// Norms, dot products and variances of integers of 1 byte, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_TILES(std::int8_t)
MULTIFOLD_MOMENT_TILES(std::uint8_t)
MULTIFOLD_MOMENT_TILES(bool8)
}  // namespace multifold::cuda
