// Sums of floating point.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, multifold::f16)
MULTIFOLD_INSTANCE(sum, multifold::bf16)
MULTIFOLD_INSTANCE(sum, float)
MULTIFOLD_INSTANCE(sum, double)
