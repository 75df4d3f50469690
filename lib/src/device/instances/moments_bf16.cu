// Norms, dot products, variances and descriptions of bf16: long rows. Everything else is in moments_f32.cu.
#include "device/moments/enqueue.cuh"

namespace multifold::cuda {
MULTIFOLD_MOMENT_ROWS(bf16)
}  // namespace multifold::cuda
