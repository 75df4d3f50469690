// Norms, dot products, variances and descriptions of f16.
#include "host/moments/instance.hpp"

namespace multifold::inline v0_1::host {

fold f16_moments(const reduction& what) { return moments_fold_of<f16>(what); }

}  // namespace multifold::inline v0_1::host
