// Which vector instructions the kernels use: chosen once from the processor, or from MULTIFOLD_SIMD.
#pragma once

#include <cstdint>
#include <string_view>

namespace multifold::inline v0_1::host {

enum class simd_level : std::uint8_t { portable, avx2, avx512 };

inline constexpr int simd_levels = 3;

std::string_view name(simd_level level) noexcept;

/// Whether this build has kernels of `level`, and this processor and operating system run them.
bool supported(simd_level level) noexcept;

/// The level in use: the best one there is, or the one that the environment variable MULTIFOLD_SIMD names
/// (portable, avx2, avx512; read at every call). Throws unsupported_error if that one is unknown or not supported, and
/// where the build has kernels of one level only (MULTIFOLD_SIMD_LEVELS), which is not.
simd_level simd_in_use();

}  // namespace multifold::inline v0_1::host

// Kernels are one generic body, compiled once per level by these attributes: no file is built with other flags than
// its neighbours, so inline functions of the headers mean the same everywhere. `flatten` pulls all of the body in.
// Compilers say differently how wide vectors may be, and Clang drops a whole target attribute for one word of GCC's.
#if defined(__x86_64__)
#define MULTIFOLD_AVX2 [[gnu::target("avx2,fma,f16c,bmi2"), gnu::flatten]]
#define MULTIFOLD_AVX512_SET "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi2"
#if defined(__clang__)
#define MULTIFOLD_AVX512 [[gnu::target(MULTIFOLD_AVX512_SET), clang::min_vector_width(512), gnu::flatten]]
#else
#define MULTIFOLD_AVX512 [[gnu::target(MULTIFOLD_AVX512_SET ",prefer-vector-width=512"), gnu::flatten]]
#endif
#else
#define MULTIFOLD_AVX2 [[gnu::flatten]]
#define MULTIFOLD_AVX512 [[gnu::flatten]]
#endif

// NAME_LEVEL<ARGUMENTS...> of every level, or, in a build for one (MULTIFOLD_SIMD_LEVELS), of that one in the place of
// all: the others are not compiled.
#if defined(MULTIFOLD_ONLY_PORTABLE)
#define MULTIFOLD_OF_LEVELS(name, ...) \
  name##_portable<__VA_ARGS__>, name##_portable<__VA_ARGS__>, name##_portable<__VA_ARGS__>
#elif defined(MULTIFOLD_ONLY_AVX2)
#define MULTIFOLD_OF_LEVELS(name, ...) name##_avx2<__VA_ARGS__>, name##_avx2<__VA_ARGS__>, name##_avx2<__VA_ARGS__>
#elif defined(MULTIFOLD_ONLY_AVX512)
#define MULTIFOLD_OF_LEVELS(name, ...) \
  name##_avx512<__VA_ARGS__>, name##_avx512<__VA_ARGS__>, name##_avx512<__VA_ARGS__>
#else
#define MULTIFOLD_OF_LEVELS(name, ...) \
  name##_portable<__VA_ARGS__>, name##_avx2<__VA_ARGS__>, name##_avx512<__VA_ARGS__>
#endif
