// Indices of extrema of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(arg_extremum, multifold::any_byte)
MULTIFOLD_SEGMENTS(arg_extremum, std::int16_t)
MULTIFOLD_SEGMENTS(arg_extremum, std::int32_t)
MULTIFOLD_SEGMENTS(arg_extremum, std::int64_t)
MULTIFOLD_SEGMENTS(arg_extremum, multifold::f16)
MULTIFOLD_SEGMENTS(arg_extremum, multifold::bf16)
MULTIFOLD_SEGMENTS(arg_extremum, float)
MULTIFOLD_SEGMENTS(arg_extremum, double)
