// Floating-point elements whose exponents make exact sums easy or hard. Nothing is summed here.
#include <limits>

#include "device/elements.cuh"
#include "multifold/exact/float_layout.hpp"

namespace bench {
namespace {

using multifold::cuda::check;
using multifold::detail::float_layout;

template <class T>
__device__ T of_bits(std::uint64_t bits) {
  return multifold::bit_copy<T>(static_cast<typename float_layout<T>::bits_type>(bits));
}

// Box and Muller (1958); of 32 bits each, so at most 6.7 in magnitude.
__device__ double normal(std::uint64_t bits) {
  const double radius = sqrt(-2 * log((static_cast<double>(bits >> 32) + 0.5) * 0x1p-32));
  return radius * cospi(static_cast<double>(bits & 0xffffffffu) * 0x1p-31);
}

template <class T>
__device__ T any_finite(std::uint64_t bits) {
  constexpr std::uint64_t infinity = float_layout<T>::infinity;
  while ((bits & infinity) == infinity) bits = hash(bits, 0);
  return of_bits<T>(bits);
}

// Two of four are one huge value and its negative, in the four highest exponents; behind each is a tiny one, in the
// four lowest. What is left of any number of fours is the sum of the tiny ones.
template <class T>
__device__ T adversarial(std::uint64_t seed, std::int64_t i) {
  constexpr int mantissa = float_layout<T>::mantissa_bits;
  constexpr std::uint64_t sign = float_layout<T>::sign, fraction = (std::uint64_t{1} << mantissa) - 1;
  const bool tiny = i % 2 != 0;
  const std::uint64_t bits = hash(seed, tiny ? i : i / 4 * 4);
  const std::uint64_t exponent = (bits >> 60 & 3) + (tiny ? 0 : 2 * float_layout<T>::bias - 3);
  const bool negative = tiny ? (bits >> 62 & 1) != 0 : i % 4 == 2;
  return of_bits<T>((negative ? sign : 0) | exponent << mantissa | (bits & fraction) | 1);
}

template <class T>
__device__ T rounded(double x) {
  if constexpr (std::is_same_v<T, f16>) return multifold::to_f16(fmin(x, 65504.0));
  else if constexpr (std::is_same_v<T, bf16>) return multifold::to_bf16(fmin(x, 0x1.fep127));
  else return static_cast<T>(fmin(x, static_cast<double>(std::numeric_limits<T>::max())));
}

template <class T>
__device__ T element(data_set set, std::uint64_t seed, std::int64_t i) {
  const std::uint64_t bits = hash(seed, i);
  switch (set) {
    case data_set::uniform: return rounded<T>((static_cast<double>(bits >> 11) + 0.5) * 0x1p-53);
    case data_set::lognormal_1: return rounded<T>(exp(normal(bits)));
    case data_set::lognormal_3: return rounded<T>(exp(3 * normal(bits)));
    case data_set::lognormal_10: return rounded<T>(exp(10 * normal(bits)));
    case data_set::lognormal_50: return rounded<T>(exp(50 * normal(bits)));
    case data_set::any_finite: return any_finite<T>(bits);
    case data_set::adversarial: return adversarial<T>(seed, i);
    default: return rounded<T>(normal(bits));
  }
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t count, data_set set, std::uint64_t seed) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = first_item(); i < count; i += step) data[i] = element<T>(set, seed, i);
}

}  // namespace

void fill(dtype type, data_set set, void* data, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream) {
  if (set == data_set::integers) return fill(type, data, bytes, seed, stream);
  visit(type, [&](auto x) {
    using T = decltype(x);
    if constexpr (multifold::floating_storage<T>) {
      const auto count = bytes / static_cast<std::int64_t>(sizeof(T));
      fill_kernel<T><<<wide_grid(), 256, 0, stream>>>(static_cast<T*>(data), count, set, seed);
    }
  });
  check(cudaGetLastError());
}

}  // namespace bench
