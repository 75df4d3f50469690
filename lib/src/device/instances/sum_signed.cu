// Sums of signed integers, and of booleans, whose results are signed.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, multifold::bool8)
MULTIFOLD_INSTANCE(sum, std::int8_t)
MULTIFOLD_INSTANCE(sum, std::int16_t)
MULTIFOLD_INSTANCE(sum, std::int32_t)
MULTIFOLD_INSTANCE(sum, std::int64_t)
