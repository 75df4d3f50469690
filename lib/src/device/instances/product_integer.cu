// Products of integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, multifold::any_byte)
MULTIFOLD_INSTANCE(product, std::int16_t)
MULTIFOLD_INSTANCE(product, std::int32_t)
MULTIFOLD_INSTANCE(product, std::int64_t)
