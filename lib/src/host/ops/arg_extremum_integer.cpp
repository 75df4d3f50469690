// Index of the least and the greatest integer.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold integer_arg_extremum(const reduction& what) { return fold_of_integers<op_family::arg_extremum>(what); }

}  // namespace multifold::inline v0_1::host
