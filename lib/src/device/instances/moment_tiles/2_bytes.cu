// Norms, dot products and variances of integers of 2 bytes, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(std::int16_t)
}  // namespace multifold::inline v0_1::cuda
