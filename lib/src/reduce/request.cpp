// The rules that hold before any engine is asked.
#include "reduce/request.hpp"

#include <string>

#include "multifold/error.hpp"

namespace multifold::detail {
namespace {

void check_initial(op_kind op, dtype input, const initial_value& initial) {
  if (!initial.given) return;
  if (op == op_kind::mean || op == op_kind::argmin || op == op_kind::argmax) {
    throw unsupported_error(std::string(name(op)) + " takes no initial value: sum, prod, min and max do");
  }
  if (!is_floating(input) && !initial.integer) {
    throw unsupported_error("the initial value is a real number, and " + std::string(name(input)) +
                            " elements take an integer");
  }
}

void check_state(const request& r) {
  const std::string what = std::string(name(r.what.op)) + " of " + std::string(name(r.what.input));
  if (!gathers_exactly(r.what)) {
    throw unsupported_error("a state of this " + what +
                            " is not served: exact sums and means of f16, bf16, f32 and f64 have one");
  }
  if (r.form.results() != 1) {
    throw unsupported_error("a state holds one " + std::string(name(r.what.op)) + ", and these axes leave " +
                            std::to_string(r.form.results()) + ": reduce over all axes");
  }
  if (r.what.initial.given) {
    throw unsupported_error("an initial value takes no part in a state: add it to the result, or as one more element");
  }
}

}  // namespace

bool has_unknown_length(const array_layout& layout) { return layout.extents.size() == 1 && layout.extents[0] < 0; }

array_view view_of(const array_layout& layout) {
  array_view view;
  view.type = layout.type;
  view.extents = has_unknown_length(layout) ? std::vector<std::int64_t>{1} : layout.extents;
  view.strides = layout.fortran_order ? fortran_strides(view.extents) : c_strides(view.extents);
  return view;
}

request make_request(op_kind op, const array_view& view, const reduce_options& options) {
  request r;
  r.what = make_reduction(op, view.type, options.nan, options.wanted.value_or(accuracy::exact));
  r.what.initial = options.initial;
  if (options.result) r.what.result = *options.result;
  check_initial(op, view.type, options.initial);
  r.achieved = always_exact(op, view.type) || gathers_exactly(r.what) ? accuracy::exact : accuracy::fast;
  if (options.wanted == accuracy::exact && r.achieved == accuracy::fast) {
    throw unsupported_error("an exact " + std::string(name(op)) + " of " + std::string(name(view.type)) +
                            " is not served: ask for accuracy fast, which rounds along a fixed tree of binary64");
  }
  const std::vector<std::int64_t> axes = options.axes ? *options.axes : all_axes(view.rank());
  r.form = normalise(view, axes, order_of(op));
  r.result_extents = multifold::result_extents(view, axes, options.keepdims);
  r.elements = view.elements();
  r.what.as_state = options.keep_state;
  if (options.keep_state) check_state(r);
  return r;
}

}  // namespace multifold::detail
