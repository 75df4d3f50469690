// Norms, dot products and variances of f16, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_TILES(f16)
}  // namespace multifold::cuda
