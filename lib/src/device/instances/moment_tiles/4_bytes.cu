// Norms, dot products and variances of integers of 4 bytes, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(std::int32_t)
}  // namespace multifold::inline v0_1::cuda
