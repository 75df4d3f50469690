// Norms, dot products, variances and descriptions of integers.
#include "host/moments/instance.hpp"

namespace multifold::inline v0_1::host {

fold integer_moments(const reduction& what) {
  return visit_dtype(what.input, [&]<class T>() -> fold {
    if constexpr (!floating_storage<T>) return moments_fold_of<T>(what);
    else return {};
  });
}

}  // namespace multifold::inline v0_1::host
