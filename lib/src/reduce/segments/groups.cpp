#include "reduce/segments/groups.hpp"

#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {

void throw_bad_key(std::int64_t position, std::int64_t key, std::int64_t groups) {
  throw shape_error("key " + std::to_string(position) + " is " + std::to_string(key) + ", and there are " +
                    std::to_string(groups) + " groups, from 0 on");
}

void check_empty_group(const segment_request& r, std::int64_t group) {
  if (group < 0 || has_identity(r.what.op) || r.what.initial.given || r.only_state) return;
  if (r.form.results() == 0) return;
  const bool is_position = r.what.op == op_kind::argmin || r.what.op == op_kind::argmax;
  throw shape_error("group " + std::to_string(group) + " is empty, and " + std::string(name(r.what.op)) +
                    " of nothing has no value: " +
                    (is_position ? "leave it out" : "give an initial value (reduce_options::initial)"));
}

}  // namespace multifold::inline v0_1::detail
