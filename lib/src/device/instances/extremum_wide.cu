// Extrema of 32 and 64 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(extremum, std::int32_t)
MULTIFOLD_INSTANCE(extremum, std::int64_t)
MULTIFOLD_INSTANCE(extremum, std::uint32_t)
MULTIFOLD_INSTANCE(extremum, std::uint64_t)
