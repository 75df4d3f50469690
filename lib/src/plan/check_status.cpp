// What a reduction that has no value, or one that does not fit, says.
#include <string>

#include "multifold/error.hpp"
#include "multifold/ops/moments/finish_moments.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1 {

void check_status(status s, const reduction& what, std::int64_t result) {
  const std::string which = result < 0 ? "" : " (result " + std::to_string(result) + ", counted from 0)";
  const std::string asked = std::string(name(what.op)) + " of " + std::string(name(what.input)) + which;
  if (s == status::overflow) {
    if (what.op == op_kind::describe) {
      throw overflow_error("the sum that belongs to the " + asked + " does not fit " +
                           std::string(name(summary_sum_dtype(what.input, what.result))) +
                           ": ask for the statistics one by one, and for that sum as f64");
    }
    throw overflow_error("the " + asked + " does not fit " + std::string(name(what.result)) +
                         ": ask for another result dtype (f64, say)");
  }
  if (s == status::bad_count) {
    throw shape_error("the " + asked +
                      " has a count in device memory that is negative, or more than its plan has room for");
  }
  if (s == status::empty) throw shape_error("the " + asked + " has no value: every element of a batch is NaN");
}

}  // namespace multifold::inline v0_1
