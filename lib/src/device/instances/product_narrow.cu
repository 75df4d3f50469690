// Products of 8 and 16 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, multifold::bool8)
MULTIFOLD_INSTANCE(product, std::int8_t)
MULTIFOLD_INSTANCE(product, std::int16_t)
MULTIFOLD_INSTANCE(product, std::uint8_t)
MULTIFOLD_INSTANCE(product, std::uint16_t)
