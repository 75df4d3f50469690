// Products of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(product, multifold::any_byte)
MULTIFOLD_SEGMENTS(product, std::int16_t)
MULTIFOLD_SEGMENTS(product, std::int32_t)
MULTIFOLD_SEGMENTS(product, std::int64_t)
MULTIFOLD_SEGMENTS(product, multifold::f16)
MULTIFOLD_SEGMENTS(product, multifold::bf16)
MULTIFOLD_SEGMENTS(product, float)
MULTIFOLD_SEGMENTS(product, double)
