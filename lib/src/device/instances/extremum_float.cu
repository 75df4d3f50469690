// Extrema of floating point.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(extremum, multifold::f16)
MULTIFOLD_INSTANCE(extremum, multifold::bf16)
MULTIFOLD_INSTANCE(extremum, float)
MULTIFOLD_INSTANCE(extremum, double)
