// CUDA's min and max, by those names: multifold::min and max, of whole arrays, would hide them.
#pragma once

namespace multifold::inline v0_1::cuda {

using ::max;
using ::min;

}  // namespace multifold::inline v0_1::cuda
