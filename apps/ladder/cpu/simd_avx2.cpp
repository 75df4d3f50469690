// Rung 5 for x86-64 processors with AVX2; elsewhere compiled as for every processor, and never called.
#include "cpu/simd_levels.hpp"

namespace multifold::ladder::cpu {

MULTIFOLD_LADDER_SIMD(, avx2_processor)

}  // namespace multifold::ladder::cpu
