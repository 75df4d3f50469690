// Exact sums and means of bf16.
#include "host/exact/instance.hpp"

namespace multifold::inline v0_1::host {

fold bf16_exact_sum(const reduction& what) { return exact_fold_of<bf16>(what); }

}  // namespace multifold::inline v0_1::host
