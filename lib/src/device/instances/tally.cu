// Counts of elements of all dtypes.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(tally, multifold::any_byte)
MULTIFOLD_INSTANCE(tally, std::int16_t)
MULTIFOLD_INSTANCE(tally, std::int32_t)
MULTIFOLD_INSTANCE(tally, std::int64_t)
