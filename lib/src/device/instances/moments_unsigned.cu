// Norms, dot products, variances and descriptions of unsigned integers and booleans.
#include "device/moments/enqueue.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENTS(std::uint64_t)
}  // namespace multifold::cuda
