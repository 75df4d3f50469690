// The floating-point environment of the engine's arithmetic, which is the caller's no more than its registers are.
// See docs/exact-sums.md, 18.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace multifold::inline v0_1::host {

/// For its life: rounding to nearest, subnormals as they are (neither flushed nor taken for zero), no traps. Afterwards
/// everything is as it was, exception flags included.
class default_float_environment {
 public:
  default_float_environment() noexcept {
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);  // x87 has a word of its own, which nothing here uses
#else
    std::fesetenv(FE_DFL_ENV);
#endif
  }
  ~default_float_environment() {
#if defined(__x86_64__)
    _mm_setcsr(before_);
#else
    std::fesetenv(&before_);
#endif
  }
  default_float_environment(const default_float_environment&) = delete;
  default_float_environment& operator=(const default_float_environment&) = delete;

 private:
#if defined(__x86_64__)
  const unsigned before_ = _mm_getcsr();
#else
  const std::fenv_t before_ = [] {
    std::fenv_t now;
    std::fegetenv(&now);
    return now;
  }();
#endif
};

}  // namespace multifold::inline v0_1::host
