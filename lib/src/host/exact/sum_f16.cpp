// Exact sums and means of f16.
#include "host/exact/instance.hpp"

namespace multifold::inline v0_1::host {

fold f16_exact_sum(const reduction& what) { return exact_fold_of<f16>(what); }

}  // namespace multifold::inline v0_1::host
