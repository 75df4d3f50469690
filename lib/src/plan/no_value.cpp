// Extremes are the operations without an identity; the positions of extremes cannot be given one either.
#include "plan/no_value.hpp"

#include <string>

#include "multifold/correction.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {

void throw_no_value(op_kind op) {
  const bool is_position = op == op_kind::argmin || op == op_kind::argmax;
  throw shape_error(
      std::string(name(op)) + " of no elements has no value: " +
      (is_position ? "expected one element or more in each batch" : "give an initial value (reduce_options::initial)"));
}

void check_result_dtype(const reduction& what) {
  if (result_dtype_allowed(what.op, what.input, what.result)) return;
  throw unsupported_error(std::string(name(what.op)) + " of " + std::string(name(what.input)) +
                          " is a real number: expected a floating result dtype, not " + std::string(name(what.result)));
}

void check_device_correction(const reduction& what) {
  if (correction::holds_integer(what.correction)) return;
  throw unsupported_error("a GPU takes a correction that is an integer: others are the host engine's");
}

}  // namespace multifold::inline v0_1::detail
