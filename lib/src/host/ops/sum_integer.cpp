// Sums and means of integers.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold integer_sum_fold(const reduction& what) { return fold_of_integers<op_family::sum>(what); }

}  // namespace multifold::inline v0_1::host
