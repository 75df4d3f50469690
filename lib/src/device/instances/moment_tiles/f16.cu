// Norms, dot products and variances of f16, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(f16)
}  // namespace multifold::inline v0_1::cuda
