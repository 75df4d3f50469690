// Counts of elements that are not zero, of any dtype.
#include "host/kernels/instantiate.hpp"
#include "host/ops/tally_bank.hpp"

namespace multifold::inline v0_1::host {

fold tallies(const reduction& what) {
  fold f{};
  visit_dtype(what.input,
              [&]<class T>() { visit_fold<op_family::tally, T>(what, [&](const auto& op) { f = fold_of(op); }); });
  return f;
}

}  // namespace multifold::inline v0_1::host
