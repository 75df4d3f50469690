// Products of floating point.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold real_product(const reduction& what) { return fold_of_reals<op_family::product>(what); }

}  // namespace multifold::inline v0_1::host
