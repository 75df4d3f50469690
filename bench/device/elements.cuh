// Elements as integers, v * 2^-scale, and what kernels over them share: data.cu, data_sets.cu and oracle.cu see it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/data.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/types/float16.hpp"

namespace bench {

using multifold::bf16;
using multifold::dtype;
using multifold::f16;

template <class T>
inline constexpr int scale_of = 0;
template <>
inline constexpr int scale_of<f16> = 11;
template <>
inline constexpr int scale_of<bf16> = 8;
template <>
inline constexpr int scale_of<float> = 24;
template <>
inline constexpr int scale_of<double> = 53;

// The dtypes that cases may use; another is one more line.
template <class F>
void visit(dtype type, const F& f) {
  switch (type) {
    case dtype::i8: return f(std::int8_t{});
    case dtype::u8: return f(std::uint8_t{});
    case dtype::i32: return f(std::int32_t{});
    case dtype::i64: return f(std::int64_t{});
    case dtype::f16: return f(f16{});
    case dtype::bf16: return f(bf16{});
    case dtype::f64: return f(double{});
    default: return f(float{});
  }
}

inline int scale(dtype type) {
  int found = 0;
  visit(type, [&](auto x) { found = scale_of<decltype(x)>; });
  return found;
}

// SplitMix64 (Steele, Lea and Flood 2014): element i of a stream is a hash of the seed and i.
__device__ inline std::uint64_t hash(std::uint64_t seed, std::int64_t i) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

template <class T>
__device__ std::int64_t integer_of(T x) {
  if constexpr (std::is_same_v<T, double>) return __double2ll_rn(x * 0x1p53);
  else if constexpr (std::is_same_v<T, float>) return __float2ll_rn(x * 0x1p24f);
  else if constexpr (std::is_same_v<T, f16>) return __float2ll_rn(multifold::to_float(x) * 0x1p11f);
  else if constexpr (std::is_same_v<T, bf16>) return __float2ll_rn(multifold::to_float(x) * 0x1p8f);
  else return x;
}

__device__ inline std::int64_t first_item() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

inline int multiprocessors() {
  int device = 0, count = 0;
  multifold::cuda::check(cudaGetDevice(&device));
  multifold::cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

inline unsigned wide_grid() { return static_cast<unsigned>(32 * multiprocessors()); }

}  // namespace bench
