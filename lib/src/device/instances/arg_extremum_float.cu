// Indices of extrema of floating point.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(arg_extremum, multifold::f16)
MULTIFOLD_INSTANCE(arg_extremum, multifold::bf16)
MULTIFOLD_INSTANCE(arg_extremum, float)
MULTIFOLD_INSTANCE(arg_extremum, double)
