// Which keys are groups. Everything else about keys is in call.hpp.
#pragma once

#include <cstdint>

namespace multifold::cuda::keys {

template <class Key>
__device__ bool is_group(Key key, std::int64_t groups) {
  return key >= 0 && key < groups;
}

}  // namespace multifold::cuda::keys
