// Minimum and maximum of integers.
#include "host/kernels/instantiate.hpp"

namespace multifold::host {

fold integer_extremum(const reduction& what) { return fold_of_integers<op_family::extremum>(what); }

}  // namespace multifold::host
