// Exact sums and means of f32.
#include "host/exact/instance.hpp"

namespace multifold::inline v0_1::host {

fold f32_exact_sum(const reduction& what) { return exact_fold_of<float>(what); }

}  // namespace multifold::inline v0_1::host
