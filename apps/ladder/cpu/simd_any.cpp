// Rung 5 for every processor of this kind.
#include "cpu/simd_levels.hpp"

namespace multifold::ladder::cpu {

MULTIFOLD_LADDER_SIMD(, any_processor)

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace multifold::ladder::cpu
