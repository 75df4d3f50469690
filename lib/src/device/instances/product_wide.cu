// Products of 32 and 64 bit integers.
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(product, std::int32_t)
MULTIFOLD_INSTANCE(product, std::int64_t)
MULTIFOLD_INSTANCE(product, std::uint32_t)
MULTIFOLD_INSTANCE(product, std::uint64_t)
