// Norms, dot products and variances of bf16, in tiles.
#include "device/moments/enqueue_tiles.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_TILES(bf16)
}  // namespace multifold::inline v0_1::cuda
