// Norms, dot products and variances of segments of integers.
#include "device/segments/enqueue_moments.cuh"

MULTIFOLD_MOMENTS_OF_SEGMENTS(multifold::any_byte)
MULTIFOLD_MOMENTS_OF_SEGMENTS(std::int16_t)
MULTIFOLD_MOMENTS_OF_SEGMENTS(std::int32_t)
MULTIFOLD_MOMENTS_OF_SEGMENTS(std::int64_t)
