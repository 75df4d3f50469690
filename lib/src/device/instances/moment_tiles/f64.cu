// Norms, dot products and variances of f64, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(double)
}  // namespace multifold::inline v0_1::cuda
