// Norms, dot products, variances and descriptions of bf16.
#include "host/moments/instance.hpp"

namespace multifold::inline v0_1::host {

fold bf16_moments(const reduction& what) { return moments_fold_of<bf16>(what); }

}  // namespace multifold::inline v0_1::host
