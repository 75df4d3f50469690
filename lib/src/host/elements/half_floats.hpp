// f16 to float by blocks, with the instruction of a SIMD level, for which compilers do not take our arithmetic.
#pragma once

#include "host/elements/widened.hpp"
#include "host/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace multifold::inline v0_1::host {
namespace detail {

#if defined(__x86_64__)
// Not MULTIFOLD_INLINE: that could not be called from a generic body. The kernels' `flatten` inlines them in the end.
template <int N>
MULTIFOLD_AVX2 inline void widen_avx2(const packed<f16>* x, float* out) {
  for (int j = 0; j < N; j += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + j));
    _mm256_storeu_ps(out + j, _mm256_cvtph_ps(bits));
  }
}
template <int N>
MULTIFOLD_AVX512 inline void widen_avx512(const packed<f16>* x, float* out) {
  for (int j = 0; j < N; j += 16) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + j));
    _mm512_storeu_ps(out + j, _mm512_maskz_cvtph_ps(0xffff, bits));  // GCC 12 warns of the one without a mask
  }
}
#endif

}  // namespace detail

/// The values of N elements, a multiple of 16. Quiets NaNs.
template <simd_level Level, int N>
MULTIFOLD_INLINE void widen_block(const packed<f16>* x, float* out) {
  static_assert(N % 16 == 0);
#if defined(__x86_64__)
  if constexpr (Level == simd_level::avx512) return detail::widen_avx512<N>(x, out);
  if constexpr (Level == simd_level::avx2) return detail::widen_avx2<N>(x, out);
#endif
  for (int j = 0; j < N; ++j) out[j] = widened(x[j].value);
}

}  // namespace multifold::inline v0_1::host
