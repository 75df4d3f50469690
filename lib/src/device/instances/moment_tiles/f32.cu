// Norms, dot products and variances of f32, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_TILES(float)
}  // namespace multifold::cuda
