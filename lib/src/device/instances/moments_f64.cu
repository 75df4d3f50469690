// Norms, dot products, variances and descriptions of f64.
#include "device/moments/enqueue.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_MERGES(double)
MULTIFOLD_MOMENTS(double)
}  // namespace multifold::inline v0_1::cuda
