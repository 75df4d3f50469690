// Norms, dot products and variances of f32, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(float)
}  // namespace multifold::inline v0_1::cuda
