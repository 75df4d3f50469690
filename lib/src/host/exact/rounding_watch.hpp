// The processor's own record of roundings: sums are exact if it noticed none (IEEE 754, inexact exception).
// See docs/exact-sums.md, 11.
#pragma once

#include "host/elements/blend.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace multifold::inline v0_1::host {

/// Watches the arithmetic of this thread from its making on; what it notes stays among the thread's exception flags,
/// which are the engine's (float_environment.hpp).
class rounding_watch {
 public:
  /// `data`: what the watched arithmetic reads, so that none of it starts earlier.
  template <class T>
  MULTIFOLD_INLINE explicit rounding_watch(const T*& data) {
#if defined(__x86_64__)
    _mm_setcsr(no_exceptions);
#else
    std::feclearexcept(FE_INEXACT);
#endif
    asm volatile("" : "+r"(data) : : "memory");
  }

  /// Whether anything was rounded on the way to `results`. Specials are not.
  template <class... Result>
  MULTIFOLD_INLINE bool rounded(Result&... results) const {
    (used(results), ...);
#if defined(__x86_64__)
    return (_mm_getcsr() & _MM_EXCEPT_INEXACT) != 0;
#else
    return std::fetestexcept(FE_INEXACT) != 0;
#endif
  }

  /// Whether this processor, or what poses as one, keeps the record: not every emulator does.
  static bool works() {
    static const bool does = notices(0x1p-60) && !notices(1.0);
    return does;
  }

 private:
#if defined(__x86_64__)
  static constexpr unsigned no_exceptions = 0x1f80;  // of default_float_environment
  MULTIFOLD_INLINE static void used(double& result) { asm volatile("" : "+x"(result)); }
#else
  MULTIFOLD_INLINE static void used(double& result) { asm volatile("" : "+m"(result)); }
#endif

  static bool notices(double x) {
    const double* at = &x;
    const rounding_watch watch(at);
    double sum = 1.0 + *at;
    return watch.rounded(sum);
  }
};

}  // namespace multifold::inline v0_1::host
