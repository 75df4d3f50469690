// thrust::device_vector as an array in device memory. Includes Thrust, which the CUDA toolkit has: for what nvcc
// compiles.
//
//   const thrust::device_vector<float> x(1'000'000, 0.1f);
//   const float total = multifold::sum(x);
#pragma once

#include <thrust/device_vector.h>

#include <cstdint>

#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

template <storage_type T, class Allocator>
struct array_traits<thrust::device_vector<T, Allocator>> {
  using element_type = T;
  static array_view view(const thrust::device_vector<T, Allocator>& v) {
    return make_view(thrust::raw_pointer_cast(v.data()), {static_cast<std::int64_t>(v.size())}, place::device);
  }
};

}  // namespace multifold::inline v0_1
