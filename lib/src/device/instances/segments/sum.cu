// Sums of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(sum, multifold::any_byte)
MULTIFOLD_SEGMENTS(sum, std::int16_t)
MULTIFOLD_SEGMENTS(sum, std::int32_t)
MULTIFOLD_SEGMENTS(sum, std::int64_t)
MULTIFOLD_SEGMENTS(sum, multifold::f16)
MULTIFOLD_SEGMENTS(sum, multifold::bf16)
MULTIFOLD_SEGMENTS(sum, float)
MULTIFOLD_SEGMENTS(sum, double)
