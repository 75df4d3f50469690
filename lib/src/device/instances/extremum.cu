// Extrema of all dtypes.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(extremum, multifold::any_byte)
MULTIFOLD_INSTANCE(extremum, std::int16_t)
MULTIFOLD_INSTANCE(extremum, std::int32_t)
MULTIFOLD_INSTANCE(extremum, std::int64_t)
MULTIFOLD_INSTANCE(extremum, multifold::f16)
MULTIFOLD_INSTANCE(extremum, multifold::bf16)
MULTIFOLD_INSTANCE(extremum, float)
MULTIFOLD_INSTANCE(extremum, double)
