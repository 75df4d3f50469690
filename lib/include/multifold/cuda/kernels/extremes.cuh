// CUDA's min and max, by those names: multifold::min and max, of whole arrays, would hide them.
#pragma once

namespace multifold::cuda {

using ::max;
using ::min;

}  // namespace multifold::cuda
