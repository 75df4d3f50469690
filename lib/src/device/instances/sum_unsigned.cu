// Sums of unsigned integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(sum, std::uint8_t)
MULTIFOLD_INSTANCE(sum, std::uint16_t)
MULTIFOLD_INSTANCE(sum, std::uint32_t)
MULTIFOLD_INSTANCE(sum, std::uint64_t)
