// Sums and means of floating point.
#include "host/instantiate.hpp"

namespace multifold::host {

fold real_sum(const reduction& what) { return fold_of_reals<op_family::sum>(what); }

}  // namespace multifold::host
