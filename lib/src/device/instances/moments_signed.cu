// Norms, dot products, variances and descriptions of signed integers.
#include "device/moments/enqueue.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENTS(std::int64_t)
}  // namespace multifold::cuda
