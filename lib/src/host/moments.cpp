// Norms, dot products, variances and descriptions, which are compiled by dtype.
#include "host/instances.hpp"

namespace multifold::host {

fold moments(const reduction& what) {
  switch (what.input) {
    case dtype::f16: return f16_moments(what);
    case dtype::bf16: return bf16_moments(what);
    case dtype::f32: return f32_moments(what);
    case dtype::f64: return f64_moments(what);
    default: return integer_moments(what);
  }
}

}  // namespace multifold::host
