// Elements by a counter-based hash, and the plain read.
#include "device/elements.cuh"

namespace bench {
namespace {

using multifold::cuda::check;

template <class T>
__device__ T element(std::uint64_t bits) {
  // An odd integer of scale + 1 signed bits; for integers any of the dtype but 0.
  constexpr int width = scale_of < T >> 0 ? scale_of<T> + 1 : sizeof(T) == 8 ? 41 : 8 * static_cast<int>(sizeof(T));
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return static_cast<T>(bits >> 56) == 0 ? 1 : static_cast<T>(bits >> 56);
  } else {
    const std::int64_t v = static_cast<std::int64_t>(bits) >> (64 - width);
    if constexpr (scale_of<T> == 0) return static_cast<T>(v == 0 ? 1 : v);
    else if constexpr (std::is_same_v<T, double>) return static_cast<double>(v | 1) * 0x1p-53;
    else if constexpr (std::is_same_v<T, float>) return static_cast<float>(v | 1) * 0x1p-24f;
    else if constexpr (std::is_same_v<T, f16>) return multifold::to_f16(static_cast<double>(v | 1) * 0x1p-11);
    else return multifold::to_bf16(static_cast<double>(v | 1) * 0x1p-8);
  }
}

template <class T>
struct alignas(16) vector_of {
  T x[16 / sizeof(T)];
};

template <class T>
__global__ void fill_kernel(vector_of<T>* data, std::int64_t vectors, std::uint64_t seed) {
  constexpr int width = 16 / sizeof(T);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += step) {
    vector_of<T> v;
#pragma unroll
    for (int k = 0; k < width; ++k) v.x[k] = element<T>(hash(seed, i * width + k));
    data[i] = v;
  }
}

// Eight loads in flight a thread; what is read ends in a value that the compiler must keep.
__global__ void __launch_bounds__(512) read_kernel(const uint4* data, std::int64_t vectors, uint4* sink) {
  constexpr int unroll = 8;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = first_item();
  uint4 kept = make_uint4(0, 0, 0, 0);
  for (; i + (unroll - 1) * step < vectors; i += unroll * step) {
    uint4 loaded[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) loaded[k] = __ldcs(data + i + k * step);
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      kept.x ^= loaded[k].x;
      kept.y ^= loaded[k].y;
      kept.z ^= loaded[k].z;
      kept.w ^= loaded[k].w;
    }
  }
  for (; i < vectors; i += step) {
    const uint4 one = __ldcs(data + i);
    kept.x ^= one.x ^ one.y ^ one.z ^ one.w;
  }
  if ((kept.x ^ kept.y ^ kept.z ^ kept.w) == 0x5eed5eedu) *sink = kept;
}

}  // namespace

void fill(dtype type, void* data, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream) {
  visit(type, [&](auto x) {
    using T = decltype(x);
    fill_kernel<T><<<wide_grid(), 256, 0, stream>>>(static_cast<vector_of<T>*>(data), bytes / 16, seed);
  });
  check(cudaGetLastError());
}

void read_async(const void* data, std::int64_t bytes, void* sink, cudaStream_t stream) {
  read_kernel<<<static_cast<unsigned>(4 * multiprocessors()), 512, 0, stream>>>(static_cast<const uint4*>(data),
                                                                                bytes / 16, static_cast<uint4*>(sink));
  check(cudaGetLastError());
}

}  // namespace bench
