// Extremes are the operations without an identity; the positions of extremes cannot be given one either.
#include "plan/no_value.hpp"

#include <string>

#include "multifold/error.hpp"

namespace multifold::detail {

void throw_no_value(op_kind op) {
  const bool is_position = op == op_kind::argmin || op == op_kind::argmax;
  throw shape_error(
      std::string(name(op)) + " of no elements has no value: " +
      (is_position ? "expected one element or more in each batch" : "give an initial value (reduce_options::initial)"));
}

}  // namespace multifold::detail
