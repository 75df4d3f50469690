# MULTIFOLD_SIMD_LEVELS: for which vector instructions the CPU engine's kernels are compiled. `all` runs on every
# processor of the architecture, and chooses when it runs; `native` has the best level of the machine that builds,
# with half the compile time and code, for those who build for themselves.
set(MULTIFOLD_SIMD_LEVELS all CACHE STRING "Vector instructions of the CPU engine: all (chosen when it runs), or native")
set_property(CACHE MULTIFOLD_SIMD_LEVELS PROPERTY STRINGS all native)

set(multifold_only_simd "")
if(MULTIFOLD_SIMD_LEVELS STREQUAL "native")
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "MULTIFOLD_SIMD_LEVELS=native asks this machine's processor, which programs are not built for: use all")
  endif()
  # As host/simd.cpp asks.
  file(WRITE "${PROJECT_BINARY_DIR}/simd_level.cpp" "int main() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports(\"avx2\") || !__builtin_cpu_supports(\"fma\") || !__builtin_cpu_supports(\"bmi2\")) return 0;
  return __builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512bw\") &&
                 __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512vl\")
             ? 2 : 1;
#else
  return 0;
#endif
}
")
  try_run(multifold_simd_level multifold_simd_compiled "${PROJECT_BINARY_DIR}/simd_level" "${PROJECT_BINARY_DIR}/simd_level.cpp")
  if(NOT multifold_simd_compiled OR NOT multifold_simd_level MATCHES "^[012]$")
    message(FATAL_ERROR "MULTIFOLD_SIMD_LEVELS=native: what this processor has could not be found out")
  endif()
  set(multifold_simd_names PORTABLE AVX2 AVX512)
  list(GET multifold_simd_names ${multifold_simd_level} multifold_only_simd)
elseif(NOT MULTIFOLD_SIMD_LEVELS STREQUAL "all")
  message(FATAL_ERROR "MULTIFOLD_SIMD_LEVELS=${MULTIFOLD_SIMD_LEVELS}: expected all or native")
endif()
