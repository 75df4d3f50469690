// Index of the least and the greatest floating-point number.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold real_arg_extremum(const reduction& what) { return fold_of_reals<op_family::arg_extremum>(what); }

}  // namespace multifold::inline v0_1::host
