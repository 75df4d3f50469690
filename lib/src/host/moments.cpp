// Norms, dot products, variances and descriptions, which are compiled by dtype.
#include "host/instances.hpp"

namespace multifold::host {

fold moments(const reduction& what) {
  switch (what.input) {
    case dtype::f16: return f16_moments(what);
    case dtype::bf16: return bf16_moments(what);
    case dtype::f32: return f32_moments(what);
    case dtype::f64: return f64_moments(what);
    case dtype::boolean:
    case dtype::i8:
    case dtype::i16:
    case dtype::i32:
    case dtype::i64:
    case dtype::u8:
    case dtype::u16:
    case dtype::u32:
    case dtype::u64: break;
  }
  return integer_moments(what);
}

}  // namespace multifold::host
