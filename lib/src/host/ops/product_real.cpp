// Products of floating point.
#include "host/kernels/instantiate.hpp"

namespace multifold::host {

fold real_product(const reduction& what) { return fold_of_reals<op_family::product>(what); }

}  // namespace multifold::host
