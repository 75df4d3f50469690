// Operations by name: one, several in one read, of segments and of groups.
#include "calls/results.hpp"
#include "calls/run.hpp"
#include "functions.hpp"

namespace multifold::python {
namespace {

using namespace nb::literals;
using object_ref = const nb::object&;

#define MULTIFOLD_PY_REST                                                                                             \
  "dtype"_a = nb::none(), "where"_a = nb::none(), "initial"_a = nb::none(), "correction"_a = nb::none(),              \
  "nan"_a = nb::none(), "accuracy"_a = nb::none(), "engine"_a = nb::none(), "threads"_a = 0, "stream"_a = nb::none(), \
  "out"_a = nb::none()

nb::object reduce_any(nb::handle op, nb::handle x, nb::handle y, const keywords& given) {
  const bool several = !nb::isinstance<nb::str>(op) && nb::hasattr(op, "__iter__");
  if (!several) return reduce_one(op_from(op), x, y, given);
  std::vector<op_kind> ops;
  for (nb::handle each : op) ops.push_back(op_from(each));
  return reduce_several(ops, x, y, given);
}

nb::list engine_list() {
  nb::list found;
  for (const engine_info& engine : engines()) {
    nb::dict entry;
    entry["name"] = nb::str(engine.name.c_str());
    entry["description"] = nb::str(engine.description.c_str());
    entry["supported"] = nb::bool_(engine.supported);
    entry["reason"] = nb::str(engine.reason.c_str());
    found.append(entry);
  }
  return found;
}

nb::tuple op_names() {
  nb::list names;
  const auto add = [&](op_kind op) { names.append(nb::str(std::string(name(op)).c_str())); };
  for (const op_kind op : all_ops) add(op);
  for (const op_kind op : two_array_ops) add(op);
  add(op_kind::describe);
  return nb::tuple(names);
}

}  // namespace

void add_general(nb::module_& module) {
  module.def(
      "reduce",
      [](nb::handle op, nb::handle x, nb::handle y, object_ref axis, truth keepdims, object_ref type, object_ref where,
         object_ref initial, object_ref correction, object_ref nan, object_ref wanted, object_ref engine, int threads,
         object_ref stream, object_ref out) {
        return as_any(reduce_any(
            op, x, y, {axis, type, keepdims, where, initial, correction, nan, wanted, engine, threads, stream, out}));
      },
      "op"_a.none(), "x"_a.none(), "y"_a = nb::none(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = truth{},
      MULTIFOLD_PY_REST, "The operation of this name (multifold.ops), or the list of results of several in one read.");
  module.def(
      "segment_reduce",
      [](nb::handle op, nb::handle x, nb::handle offsets, nb::handle y, object_ref axis, object_ref type,
         object_ref where, object_ref initial, object_ref correction, object_ref nan, object_ref wanted,
         object_ref engine, int threads, object_ref stream, object_ref out) {
        return as_any(reduce_segments(
            op_from(op), x, y, offsets,
            {axis, type, false, where, initial, correction, nan, wanted, engine, threads, stream, out}));
      },
      "op"_a.none(), "x"_a.none(), "offsets"_a.none(), "y"_a = nb::none(), nb::kw_only(), "axis"_a = 0,
      MULTIFOLD_PY_REST,
      "A result for each segment x[offsets[i]:offsets[i + 1]] along the axis, as the rows of a CSR matrix.");
  module.def(
      "segment_sum",
      [](nb::handle x, nb::handle offsets, object_ref axis, object_ref stream) {
        keywords given;
        given.axis = axis;
        given.stream = stream;
        return as_any(reduce_segments(op_kind::sum, x, nb::handle(), offsets, given));
      },
      "x"_a.none(), "offsets"_a.none(), nb::kw_only(), "axis"_a = 0, "stream"_a = nb::none(),
      "The sum of each segment x[offsets[i]:offsets[i + 1]].");
  module.def(
      "reduce_by_key",
      [](nb::handle op, nb::handle x, nb::handle keys, nb::handle groups, nb::handle y, object_ref axis,
         object_ref type, object_ref where, object_ref initial, object_ref correction, object_ref nan,
         object_ref wanted, object_ref engine, int threads, object_ref stream, object_ref out) {
        return as_any(
            reduce_keys(op_from(op), x, y, keys, groups,
                        {axis, type, false, where, initial, correction, nan, wanted, engine, threads, stream, out}));
      },
      "op"_a.none(), "x"_a.none(), "keys"_a.none(), "groups"_a = nb::none(), "y"_a = nb::none(), nb::kw_only(),
      "axis"_a = 0, MULTIFOLD_PY_REST,
      "A result for each key from 0 to groups - 1 (or the greatest there is) of the elements that have it.");
  module.def("engines", &engine_list, "The engines of this machine, the one that is preferred first.");
  module.attr("ops") = op_names();
  module.attr("__version__") = MULTIFOLD_VERSION;
}

}  // namespace multifold::python
