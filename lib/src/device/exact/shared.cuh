// Shared memory by its own addresses: a generic pointer costs an instruction or two at every access, and these kernels
// make two accesses for every element they read.
#pragma once

namespace multifold::inline v0_1::cuda::exact {

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ inline double load_shared_f64(unsigned at) {
  double x;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(at));
  return x;
}
__device__ inline void store_shared(unsigned at, double x) {
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(at), "d"(x));
}

__device__ inline float load_shared_f32(unsigned at) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at));
  return x;
}
__device__ inline void store_shared(unsigned at, float x) { asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(x)); }

}  // namespace multifold::inline v0_1::cuda::exact
