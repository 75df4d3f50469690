// Sums of 32 and 64 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, std::int32_t)
MULTIFOLD_INSTANCE(sum, std::int64_t)
MULTIFOLD_INSTANCE(sum, std::uint32_t)
MULTIFOLD_INSTANCE(sum, std::uint64_t)
