// Exact sums and means of floating point, which are compiled by dtype.
#include "host/instances.hpp"

namespace multifold::host {

fold real_exact_sum(const reduction& what) {
  switch (what.input) {
    case dtype::f16: return f16_exact_sum(what);
    case dtype::bf16: return bf16_exact_sum(what);
    case dtype::f32: return f32_exact_sum(what);
    default: return f64_exact_sum(what);
  }
}

}  // namespace multifold::host
