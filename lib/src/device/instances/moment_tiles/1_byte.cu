// Norms, dot products, variances and descriptions of integers of 1 byte, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(any_byte)
}  // namespace multifold::inline v0_1::cuda
