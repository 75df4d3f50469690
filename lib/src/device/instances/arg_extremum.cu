// Indices of extrema of all dtypes.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(arg_extremum, multifold::any_byte)
MULTIFOLD_INSTANCE(arg_extremum, std::int16_t)
MULTIFOLD_INSTANCE(arg_extremum, std::int32_t)
MULTIFOLD_INSTANCE(arg_extremum, std::int64_t)
MULTIFOLD_INSTANCE(arg_extremum, multifold::f16)
MULTIFOLD_INSTANCE(arg_extremum, multifold::bf16)
MULTIFOLD_INSTANCE(arg_extremum, float)
MULTIFOLD_INSTANCE(arg_extremum, double)
