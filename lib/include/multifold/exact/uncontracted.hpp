// Operations that are rounded by themselves, whatever the compiler may make of products and sums that follow each
// other: error-free transformations rest on them, in headers that are compiled with users' flags.
// See docs/exact-sums.md, 18.
#pragma once

#include <type_traits>

#include "multifold/dtype.hpp"

// -fassociative-math alone leaves no trace that could be refused here; it breaks what follows, too.
#if defined(__FAST_MATH__)
#error "multifold is not made for -ffast-math: it would change or remove what makes results exact"
#endif

namespace multifold::inline v0_1::detail {

/// x, which no compiler takes for a product any more: what is added to it is not contracted to a fused multiply-add.
MULTIFOLD_HD constexpr double rounded(double x) {
#if !defined(__CUDA_ARCH__) && !defined(MULTIFOLD_NO_CONTRACTION)
  // Targets of this project are compiled without contraction, and keep their vectors.
  if (!std::is_constant_evaluated()) {
#if defined(__x86_64__) || defined(__SSE2__)
    asm("" : "+x"(x));
#elif defined(__aarch64__)
    asm("" : "+w"(x));
#elif defined(__GNUC__)
    asm("" : "+m"(x));
#endif
  }
#endif
  return x;
}

/// x + y and x - y, neither of which is taken for a part of a fused multiply-add.
MULTIFOLD_HD constexpr double plain_sum(double x, double y) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(x, y);
#else
  return x + y;
#endif
}
MULTIFOLD_HD constexpr double plain_difference(double x, double y) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(x, -y);
#else
  return x - y;
#endif
}

/// x y, rounded before anything is added to it.
MULTIFOLD_HD constexpr double plain_product(double x, double y) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(x, y);
#else
  return rounded(x * y);
#endif
}

/// x y + z, rounded once.
MULTIFOLD_HD inline double fused(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(x, y, z);
#else
  return __builtin_fma(x, y, z);
#endif
}

}  // namespace multifold::inline v0_1::detail
