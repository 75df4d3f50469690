// Sums of 8 and 16 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, multifold::bool8)
MULTIFOLD_INSTANCE(sum, std::int8_t)
MULTIFOLD_INSTANCE(sum, std::int16_t)
MULTIFOLD_INSTANCE(sum, std::uint8_t)
MULTIFOLD_INSTANCE(sum, std::uint16_t)
