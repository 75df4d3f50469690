// Norms, dot products, variances and descriptions of f32.
#include "host/moments/instance.hpp"

namespace multifold::inline v0_1::host {

fold f32_moments(const reduction& what) { return moments_fold_of<float>(what); }

}  // namespace multifold::inline v0_1::host
