// From a reduction to its fold: the part of its family and dtype makes it, and the level picks the kernels.
#include "host/fold.hpp"

#include <string>

#include "multifold/engine_parts.hpp"

namespace multifold::inline v0_1::host {

// Null where no call of the program names them. What follows is compiled so, linked_op.hpp, too.
[[gnu::weak]] engine_part integer_sum_fold, real_sum, f16_exact_sum, bf16_exact_sum, f32_exact_sum, f64_exact_sum;
[[gnu::weak]] engine_part integer_product_fold, real_product, integer_extremum, real_extremum;
[[gnu::weak]] engine_part integer_arg_extremum, real_arg_extremum, tallies;
[[gnu::weak]] engine_part integer_moments, f16_moments, bf16_moments, f32_moments, f64_moments;

}  // namespace multifold::inline v0_1::host

#include "host/parts.hpp"
#include "multifold/error.hpp"
#include "multifold/linked_op.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {

engine_part* part_of(const reduction& what) {
  if (family_of(what) == op_family::sum && is_floating(what.input)) return real_sum;
  return visit_dtype(what.input, [&]<class T>() { return detail::part_of<T>(what.op); });
}

fold make_row_fold(const reduction& what) {
  engine_part* const made_by = part_of(what);
  if (made_by == nullptr) {
    throw unsupported_error(std::string(name(what.op)) + " of " + std::string(name(what.input)) +
                            ": this program is linked without the part of the CPU engine that reduces by it");
  }
  fold f = made_by(what);
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

}  // namespace multifold::inline v0_1::host
