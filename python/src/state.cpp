// class State: a reduction that goes on, elsewhere too.
#include <new>

#include "calls/results.hpp"
#include "calls/run.hpp"
#include "functions.hpp"

namespace multifold::python {
namespace {

using namespace nb::literals;

struct python_state {
  op_kind op;
  state value;
};

nb::bytes bytes_of(const python_state& s) {
  const std::vector<std::byte> all = s.value.bytes();
  return nb::bytes(all.data(), all.size());
}

state state_in(const nb::bytes& bytes) {
  return state(std::span(static_cast<const std::byte*>(bytes.data()), bytes.size()));
}

op_kind first_op_of(const state& s) {
  for (const op_kind op : all_ops)
    if (s.has(op)) return op;
  for (const op_kind op : two_array_ops)
    if (s.has(op)) return op;
  return op_kind::describe;
}

python_state from_bytes(const nb::bytes& bytes, nb::handle op) {
  state value = state_in(bytes);
  const op_kind kind = op.is_none() ? first_op_of(value) : op_from(op);
  if (!value.has(kind))
    throw nb::value_error(("this is a state of " + value.name() + ", which has no " + std::string(name(kind))).c_str());
  return {kind, std::move(value)};
}

// Adds elements behind those there are.
void update(python_state& s, nb::handle x, nb::handle y, nb::handle keys, nb::handle nan, int threads,
            nb::handle stream) {
  keywords given;
  if (!nan.is_none()) given.nan = nb::borrow(nan);
  given.threads = threads;
  given.stream = nb::borrow(stream);
  const std::vector<std::int64_t>& extents = s.value.extents();
  if (!keys.is_none()) {
    if (extents.empty()) throw nb::value_error("keys: a state of one result has no groups: give them its shape");
    return s.value.merge(partial_state_by_key(s.op, x, y, keys, extents.front(), given));
  }
  state part = partial_state(s.op, x, y, given, static_cast<std::int64_t>(extents.size()));
  part.move(s.value.end());
  s.value.merge(part);
}

nb::any value_of(const python_state& s, nb::handle op, nb::handle type, nb::handle correction, nb::handle initial,
                 nb::handle out) {
  const op_kind kind = op.is_none() ? s.op : op_from(op);
  finish_options options;
  if (!type.is_none()) options.result = dtype_from(type);
  options.correction = correction_from(correction);
  if (!initial.is_none()) options.initial = initial_from(initial);
  const reduce_result result = s.value.finish(kind, options);
  const bool as_number = !out.is_none();
  if (kind == op_kind::describe) return as_any(summary_object(result, s.value.element(), as_number));
  return as_any(result_object(result, nb::handle(), as_number));
}

nb::tuple shape_of_state(const python_state& s) {
  nb::list extents;
  for (const std::int64_t extent : s.value.extents()) extents.append(extent);
  return nb::tuple(extents);
}

}  // namespace

void add_state(nb::module_& module) {
  nb::class_<python_state> its_class(
      module, "State",
      "A reduction of some elements, that more are added to, here or elsewhere: in any order of merges its bytes are "
      "those of the whole, and its value is rounded once.");
  its_class.attr("__hash__") = nb::none();  // it changes
  its_class
      .def(
          "__init__",
          [](python_state* self, nb::handle op, nb::handle type, nb::handle shape, nb::handle nan) {
            const op_kind kind = op_from(op);
            const nan_policy policy = nan.is_none() ? nan_policy::propagate : nan_from(nan);
            new (self) python_state{kind, state(kind, dtype_from(type), integers_from(shape, "shape"), policy)};
          },
          "op"_a.none(), "dtype"_a, "shape"_a = nb::tuple(), nb::kw_only(), "nan"_a = nb::none())
      .def(
          "update", &update, nb::lock_self(), "x"_a.none(), "y"_a = nb::none(), nb::kw_only(), "keys"_a = nb::none(),
          "nan"_a = nb::none(), "threads"_a = 0, "stream"_a = nb::none(),
          "Adds the elements of an array or a source: its last axes are those of the state, and the others are "
          "reduced. With keys, rows along the first axis go to the result that their key says, from 0 to shape[0] - 1.")
      .def(
          "merge", [](python_state& self, const python_state& other) { self.value.merge(other.value); },
          nb::lock_self(), "other"_a.lock(), "Adds the elements of another state.")
      .def(
          "move", [](python_state& self, std::int64_t by) { self.value.move(by); }, nb::lock_self(), "by"_a,
          "Lets every batch begin so many elements earlier: of what keeps no indices nothing changes.")
      .def("value", &value_of, nb::lock_self(), nb::kw_only(), "op"_a = nb::none(), "dtype"_a = nb::none(),
           "correction"_a = 0, "initial"_a = nb::none(), "out"_a = nb::none(), "The value of the elements so far.")
      .def("__bytes__", &bytes_of, nb::lock_self())
      .def_static("from_bytes", &from_bytes, "data"_a, "op"_a = nb::none(), "The state that bytes(state) was.")
      .def(
          "__getstate__",
          [](const python_state& self) {
            return nb::make_tuple(bytes_of(self), nb::str(std::string(name(self.op)).c_str()));
          },
          nb::lock_self())
      .def("__setstate__",
           [](python_state& self, const nb::tuple& saved) {
             new (&self) python_state(from_bytes(nb::cast<nb::bytes>(saved[0]), nb::object(saved[1])));
           })
      .def(
          "__eq__",
          [](const python_state& self, nb::handle other) {
            return nb::isinstance<python_state>(other) &&
                   self.value.bytes() == nb::cast<const python_state&>(other).value.bytes();
          },
          nb::lock_self(), nb::arg().lock())
      .def_prop_ro("op", [](const python_state& self) { return std::string(name(self.op)); })
      .def_prop_ro("dtype", [](const python_state& self) { return numpy_name(self.value.element()); })
      .def_prop_ro("shape", &shape_of_state)
      .def_prop_ro("count", [](const python_state& self) { return self.value.count(); })
      .def_prop_ro("counts",
                   [](const python_state& self) {
                     nb::list each;
                     for (const std::int64_t count : self.value.counts()) each.append(count);
                     return each;
                   })
      .def("__repr__", [](const python_state& self) { return "<multifold.State " + self.value.name() + ">"; });
}

}  // namespace multifold::python
