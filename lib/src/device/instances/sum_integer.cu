// Sums of integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, multifold::any_byte)
MULTIFOLD_INSTANCE(sum, std::int16_t)
MULTIFOLD_INSTANCE(sum, std::int32_t)
MULTIFOLD_INSTANCE(sum, std::int64_t)
