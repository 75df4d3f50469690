// Indices of extrema of 8 and 16 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(arg_extremum, multifold::bool8)
MULTIFOLD_INSTANCE(arg_extremum, std::int8_t)
MULTIFOLD_INSTANCE(arg_extremum, std::int16_t)
MULTIFOLD_INSTANCE(arg_extremum, std::uint8_t)
MULTIFOLD_INSTANCE(arg_extremum, std::uint16_t)
