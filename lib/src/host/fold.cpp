// From a reduction to its fold: the family's file makes it, and the level picks the kernels.
#include "host/fold.hpp"

#include "host/instances.hpp"

namespace multifold::host {
namespace {

fold instance_of(const reduction& what) {
  const bool real = is_floating(what.input);
  switch (family_of(what)) {
    case op_family::sum: return real ? real_sum(what) : integer_sum_fold(what);
    case op_family::exact_sum: return real_exact_sum(what);
    case op_family::product: return real ? real_product(what) : integer_product_fold(what);
    case op_family::extremum: return real ? real_extremum(what) : integer_extremum(what);
    case op_family::tally: return tallies(what);
    case op_family::moments: return moments(what);
    case op_family::arg_extremum: break;
  }
  return real ? real_arg_extremum(what) : integer_arg_extremum(what);
}

}  // namespace

fold make_row_fold(const reduction& what) {
  fold f = instance_of(what);
  f.level = simd_in_use();
  f.kernels = f.table->kernels[static_cast<std::size_t>(f.level)];
  f.item = item_bytes(what.input);
  f.any_order = merges_in_any_order(what);
  return f;
}

fold make_fold(const reduction& what) {
  fold f = make_row_fold(what);
  if (f.table->give_arena != nullptr) f.table->give_arena(f);
  return f;
}

}  // namespace multifold::host
