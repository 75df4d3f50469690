// Products of integers.
#include "host/kernels/instantiate.hpp"

namespace multifold::inline v0_1::host {

fold integer_product_fold(const reduction& what) { return fold_of_integers<op_family::product>(what); }

}  // namespace multifold::inline v0_1::host
