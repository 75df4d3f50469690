// Norms, dot products and variances of integers of 8 bytes, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(std::int64_t)
}  // namespace multifold::inline v0_1::cuda
