// Norms, dot products, variances and descriptions of f16: long rows. Everything else is in moments_f32.cu.
#include "device/moments/enqueue.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_ROWS(f16)
}  // namespace multifold::cuda
