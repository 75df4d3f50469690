// Sums and means of floating point.
#include "host/kernels/instantiate.hpp"
#include "host/ops/half_rows.hpp"

namespace multifold::inline v0_1::host {

fold real_sum(const reduction& what) {
  if (what.input == dtype::f16 && what.nan != nan_policy::omit) return fold_of(half_float_sum<false>{});
  return fold_of_reals<op_family::sum>(what);
}

}  // namespace multifold::inline v0_1::host
