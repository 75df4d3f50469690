// Of what the library computes, by what its functions for streams enqueue.
#include "calls/enqueued.hpp"

#include "arguments/taken_array.hpp"

#if MULTIFOLD_HAS_CUDA
#include <multifold/cuda/reduce_async.hpp>

namespace multifold::python {
namespace {

// Whether results have to be looked at: integers that may leave their dtype, and what has no value.
bool may_fail(const plan& p) {
  const reduction& what = p.what;
  switch (what.op) {
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: return what.result != default_result_dtype(what.op, what.input);
    case op_kind::argmin:
    case op_kind::argmax:
    case op_kind::min:
    case op_kind::max: return p.form.length == 0 || what.result != default_result_dtype(what.op, what.input);
    case op_kind::describe: return true;
    default: return !is_floating(what.result);
  }
}

bool can_stay(op_kind op, const gpu_array& x, const settings& set) {
  const reduce_options& options = set.options;
  return has_device_engine() && !set.as_number && set.stream == x.current_stream() && !takes_two_arrays(op) &&
         !options.where && !options.initial.given && options.nan == nan_policy::propagate &&
         options.correction.is_integer();
}

}  // namespace

nb::object enqueued_result(op_kind op, const gpu_array& x, const settings& set) {
  if (!can_stay(op, x, set)) return {};
  const array_view& view = x.view();
  const plan p = plan_for(op, view, set.options);
  if (may_fail(p)) return {};
  nb::object result =
      x.empty(p.what.result, result_extents(view, set.options.axes.of(view.rank()), set.options.keepdims));
  if (!result.is_valid() || p.form.results() == 0) return result;
  const gpu_array::workspace workspace(x, p.workspace_bytes());
  cuda::reduce_async(p, {view.data, nullptr}, x.address_of(result),
                     {workspace.data(), static_cast<std::size_t>(p.workspace_bytes())}, option_from(set.stream));
  return result;
}

}  // namespace multifold::python

#else

namespace multifold::python {

nb::object enqueued_result(op_kind, const gpu_array&, const settings&) { return {}; }

}  // namespace multifold::python

#endif
