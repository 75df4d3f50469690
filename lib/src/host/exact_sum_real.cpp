// Exact sums and means of floating point, which are compiled by dtype.
#include <type_traits>

#include "host/instances.hpp"

namespace multifold::host {

fold real_exact_sum(const reduction& what) {
  return visit_floating(what.input, [&]<class T>() {
    if constexpr (std::is_same_v<T, f16>) return f16_exact_sum(what);
    else if constexpr (std::is_same_v<T, bf16>) return bf16_exact_sum(what);
    else if constexpr (std::is_same_v<T, float>) return f32_exact_sum(what);
    else return f64_exact_sum(what);
  });
}

}  // namespace multifold::host
