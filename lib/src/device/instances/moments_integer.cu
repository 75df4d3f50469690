// Norms, dot products, variances and descriptions of integers: what they have in common.
#include "device/moments/enqueue.cuh"

namespace multifold::inline v0_1::cuda {
MULTIFOLD_MOMENT_MERGES(std::int8_t)
MULTIFOLD_MOMENT_MERGES(std::int32_t)
MULTIFOLD_MOMENT_MERGES(std::int64_t)
MULTIFOLD_MOMENTS(std::int64_t)
}  // namespace multifold::inline v0_1::cuda
