// Rung 5 as it is compiled: for every processor, and for those with AVX2.
#pragma once

#include "cpu/05_simd.hpp"

namespace multifold::ladder::cpu {

struct any_processor {};
struct avx2_processor {};

/// Whether the processor at hand has AVX2, and this build code for it.
bool has_avx2();

#define MULTIFOLD_LADDER_SIMD(PREFIX, PROCESSOR)                                                  \
  PREFIX template float simd<sum<float>, PROCESSOR>(const elements<float>&);                      \
  PREFIX template double simd<sum<double>, PROCESSOR>(const elements<double>&);                   \
  PREFIX template std::int64_t simd<sum<std::int32_t>, PROCESSOR>(const elements<std::int32_t>&); \
  PREFIX template float simd<dot<float>, PROCESSOR>(const elements<float>&);                      \
  PREFIX template double simd<dot<double>, PROCESSOR>(const elements<double>&);                   \
  PREFIX template std::int64_t simd<dot<std::int32_t>, PROCESSOR>(const elements<std::int32_t>&); \
  PREFIX template float simd<max<float>, PROCESSOR>(const elements<float>&);                      \
  PREFIX template double simd<max<double>, PROCESSOR>(const elements<double>&);                   \
  PREFIX template std::int32_t simd<max<std::int32_t>, PROCESSOR>(const elements<std::int32_t>&);

MULTIFOLD_LADDER_SIMD(extern, any_processor)
MULTIFOLD_LADDER_SIMD(extern, avx2_processor)

}  // namespace multifold::ladder::cpu
