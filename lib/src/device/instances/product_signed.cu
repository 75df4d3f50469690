// Products of signed integers, and of booleans, whose results are signed.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, multifold::bool8)
MULTIFOLD_INSTANCE(product, std::int8_t)
MULTIFOLD_INSTANCE(product, std::int16_t)
MULTIFOLD_INSTANCE(product, std::int32_t)
MULTIFOLD_INSTANCE(product, std::int64_t)
