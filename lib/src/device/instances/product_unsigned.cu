// Products of unsigned integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, std::uint8_t)
MULTIFOLD_INSTANCE(product, std::uint16_t)
MULTIFOLD_INSTANCE(product, std::uint32_t)
MULTIFOLD_INSTANCE(product, std::uint64_t)
