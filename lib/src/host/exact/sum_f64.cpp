// Exact sums and means of f64.
#include "host/exact/instance.hpp"

namespace multifold::inline v0_1::host {

fold f64_exact_sum(const reduction& what) { return exact_fold_of<double>(what); }

}  // namespace multifold::inline v0_1::host
