// A plan for fewer elements on the same grid: what changes in a graph are numbers, not nodes.
#include <algorithm>
#include <string>

#include "multifold/error.hpp"
#include "multifold/plan.hpp"
#include "plan/no_value.hpp"

namespace multifold::inline v0_1 {

plan resized(const plan& p, std::int64_t length) {
  if (p.form.results() != 1 || p.form.pattern != access::rows) {
    throw unsupported_error("plans for one row of neighbouring elements can be resized, and this one has " +
                            std::to_string(p.form.results()) + " results" +
                            (p.form.pattern == access::rows ? "" : ", or elements apart from each other"));
  }
  if (p.form.reordered) {
    throw unsupported_error(
        "the elements of this plan are read along memory, which is not their order in the array: which of them are the "
        "first cannot be said");
  }
  if (length < 0 || length > p.form.length) {
    throw shape_error(std::to_string(length) + " elements were asked for, and the plan has room for " +
                      std::to_string(p.form.length) + ": plan for more");
  }
  if (length == 0 && !has_identity(p.what.op) && !p.what.initial.given) {
    detail::throw_no_value(p.what.op);
  }
  plan smaller = p;
  smaller.form.length = smaller.form.length_run.extent = length;
  for (run& r : smaller.form.reduced) r.extent = length;
  pass& first = smaller.passes.front();
  first.length = length;
  if (first.kind == kernel::tiles) first.array.length = length;
  if (first.parts == 1) first.tile = first.part_length = std::max<std::int64_t>(1, length);
  if (smaller.again) {
    smaller.again->length = length;
    if (smaller.again->parts == 1) smaller.again->tile = smaller.again->part_length = first.part_length;
  }
  return smaller;
}

}  // namespace multifold::inline v0_1
