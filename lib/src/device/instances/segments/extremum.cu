// Extrema of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(extremum, multifold::any_byte)
MULTIFOLD_SEGMENTS(extremum, std::int16_t)
MULTIFOLD_SEGMENTS(extremum, std::int32_t)
MULTIFOLD_SEGMENTS(extremum, std::int64_t)
MULTIFOLD_SEGMENTS(extremum, multifold::f16)
MULTIFOLD_SEGMENTS(extremum, multifold::bf16)
MULTIFOLD_SEGMENTS(extremum, float)
MULTIFOLD_SEGMENTS(extremum, double)
