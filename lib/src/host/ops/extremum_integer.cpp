// Minimum and maximum of integers.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold integer_extremum(const reduction& what) { return fold_of_integers<op_family::extremum>(what); }

}  // namespace multifold::inline v0_1::host
