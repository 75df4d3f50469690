// Norms, dot products, variances and descriptions of f64.
#include "host/moments/instance.hpp"

namespace multifold::inline v0_1::host {

fold f64_moments(const reduction& what) { return moments_fold_of<double>(what); }

}  // namespace multifold::inline v0_1::host
