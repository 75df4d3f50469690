// Products of floating point.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, multifold::f16)
MULTIFOLD_INSTANCE(product, multifold::bf16)
MULTIFOLD_INSTANCE(product, float)
MULTIFOLD_INSTANCE(product, double)
