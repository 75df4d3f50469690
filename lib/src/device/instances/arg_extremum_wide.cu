// Indices of extrema of 32 and 64 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(arg_extremum, std::int32_t)
MULTIFOLD_INSTANCE(arg_extremum, std::int64_t)
MULTIFOLD_INSTANCE(arg_extremum, std::uint32_t)
MULTIFOLD_INSTANCE(arg_extremum, std::uint64_t)
