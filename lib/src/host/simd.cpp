// Detection of the processor's vector instructions.
#include "host/simd.hpp"

#include <cstdlib>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {
namespace {

bool compiled(simd_level level) noexcept {
#if defined(MULTIFOLD_ONLY_PORTABLE)
  return level == simd_level::portable;
#elif defined(MULTIFOLD_ONLY_AVX2)
  return level == simd_level::avx2;
#elif defined(MULTIFOLD_ONLY_AVX512)
  return level == simd_level::avx512;
#else
  return level <= simd_level::avx512;
#endif
}

simd_level best_level() noexcept {
  if (supported(simd_level::avx512)) return simd_level::avx512;
  return supported(simd_level::avx2) ? simd_level::avx2 : simd_level::portable;
}

}  // namespace

std::string_view name(simd_level level) noexcept {
  constexpr std::string_view names[simd_levels] = {"portable", "avx2", "avx512"};
  return names[static_cast<int>(level)];
}

bool supported(simd_level level) noexcept {
  if (!compiled(level)) return false;
  if (level == simd_level::portable) return true;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (level == simd_level::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

simd_level simd_in_use() {
  static const simd_level best = best_level();
  const char* const asked = std::getenv("MULTIFOLD_SIMD");
  if (asked == nullptr || *asked == '\0') {
    static const bool runs = supported(best);
    if (!runs) throw unsupported_error("this multifold was built for processors with other vector instructions");
    return best;
  }
  for (int i = 0; i < simd_levels; ++i) {
    const auto level = static_cast<simd_level>(i);
    if (asked != name(level)) continue;
    if (supported(level)) return level;
    const char* const why = compiled(level) ? ": this processor has no such instructions; the best it has is "
                                            : ": this build has no such kernels; the best it has is ";
    throw unsupported_error("MULTIFOLD_SIMD=" + std::string(asked) + why + std::string(name(best)));
  }
  throw unsupported_error("MULTIFOLD_SIMD=" + std::string(asked) + ": expected portable, avx2 or avx512");
}

}  // namespace multifold::inline v0_1::host
