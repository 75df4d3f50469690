// MULTIFOLD_ROLLED before a loop over limbs: kernels keep it as a loop. Unrolled, such loops would be most of a
// kernel's code and of its compile time; on the CPU the compiler knows best. MULTIFOLD_UNROLLED before a loop over a
// few numbers that kernels keep in registers.
#pragma once

#if defined(__CUDA_ARCH__)
#define MULTIFOLD_ROLLED _Pragma("unroll 1")
#define MULTIFOLD_UNROLLED _Pragma("unroll")
#else
#define MULTIFOLD_ROLLED
#define MULTIFOLD_UNROLLED
#endif
