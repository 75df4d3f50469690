// Extrema of 8 and 16 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(extremum, multifold::bool8)
MULTIFOLD_INSTANCE(extremum, std::int8_t)
MULTIFOLD_INSTANCE(extremum, std::int16_t)
MULTIFOLD_INSTANCE(extremum, std::uint8_t)
MULTIFOLD_INSTANCE(extremum, std::uint16_t)
