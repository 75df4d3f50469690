// Norms, dot products, variances and descriptions of f32.
#include "device/moments/enqueue.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_MERGES(float)
MULTIFOLD_MOMENTS(float)
}  // namespace multifold::cuda
