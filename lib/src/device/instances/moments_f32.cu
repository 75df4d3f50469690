// Norms, dot products, variances and descriptions of f32.
#include "device/moments/enqueue.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_MERGES(float)
MULTIFOLD_MOMENTS(float)
}  // namespace multifold::inline v0_1::cuda
