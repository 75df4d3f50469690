// The functions with the array API's signatures. What all of them take is said once, in multifold.__doc__.
#include "calls/results.hpp"
#include "calls/run.hpp"
#include "functions.hpp"
#include "functions/central_moments.hpp"
#include "functions/logsumexp.hpp"
#include "functions/norms.hpp"
#include "functions/vecdot.hpp"

namespace multifold::python {
namespace {

using namespace nb::literals;
using object_ref = const nb::object&;

// The keywords that every reduction has after its own.
#define MULTIFOLD_PY_COMMON \
  "nan"_a = nb::none(), "engine"_a = nb::none(), "threads"_a = 0, "stream"_a = nb::none(), "out"_a = nb::none()

template <op_kind Op>
nb::object one(nb::handle x, const keywords& given) {
  return reduce_one(Op, x, nb::handle(), given);
}

template <op_kind Op>
nb::object quick_or_one(nb::handle x, const keywords& given) {
  if (given.are_default())
    if (nb::object value = quick_value(Op, x); value.is_valid()) return value;
  return one<Op>(x, given);
}

// sum, prod and mean.
template <op_kind Op>
void add_total(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [](nb::handle x, object_ref axis, object_ref type, truth keepdims, object_ref where, object_ref initial,
         object_ref wanted, object_ref nan, object_ref engine, int threads, object_ref stream, object_ref out) {
        return as_any(quick_or_one<Op>(
            x, {axis, type, keepdims, where, initial, nb::none(), nan, wanted, engine, threads, stream, out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "keepdims"_a = truth{},
      "where"_a = nb::none(), "initial"_a = nb::none(), "accuracy"_a = nb::none(), MULTIFOLD_PY_COMMON, text);
}

template <op_kind Op>
void add_extreme(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [](nb::handle x, object_ref axis, truth keepdims, object_ref where, object_ref initial, object_ref nan,
         object_ref engine, int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(
            quick_or_one<Op>(x, {axis, none, keepdims, where, initial, none, nan, none, engine, threads, stream, out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = truth{}, "where"_a = nb::none(),
      "initial"_a = nb::none(), MULTIFOLD_PY_COMMON, text);
}

// Positions, and what asks whether elements are zero.
template <op_kind Op>
void add_plain(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [](nb::handle x, object_ref axis, truth keepdims, object_ref where, object_ref nan, object_ref engine,
         int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(
            quick_or_one<Op>(x, {axis, none, keepdims, where, none, none, nan, none, engine, threads, stream, out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = truth{}, "where"_a = nb::none(),
      MULTIFOLD_PY_COMMON, text);
}

template <op_kind Op>
void add_spread(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [](nb::handle x, object_ref axis, object_ref correction, object_ref type, truth keepdims, object_ref where,
         object_ref nan, object_ref engine, int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(
            one<Op>(x, {axis, type, keepdims, where, none, correction, nan, none, engine, threads, stream, out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "correction"_a = 0, "dtype"_a = nb::none(),
      "keepdims"_a = truth{}, "where"_a = nb::none(), MULTIFOLD_PY_COMMON, text);
}

void add_norms(nb::module_& module) {
  module.def(
      "vector_norm",
      [](nb::handle x, object_ref axis, truth keepdims, nb::handle ord, object_ref where, object_ref nan,
         object_ref engine, int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(
            vector_norm(x, {axis, none, keepdims, where, none, none, nan, none, engine, threads, stream, out}, ord));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = truth{}, "ord"_a = 2, "where"_a = nb::none(),
      MULTIFOLD_PY_COMMON,
      "The norm of any order; of order 1, 2 and inf of real numbers correctly rounded. Nothing overflows on the way.");
}

void add_logsumexp(nb::module_& module) {
  module.def(
      "logsumexp",
      [](nb::handle x, object_ref axis, truth keepdims, object_ref engine, int threads, object_ref out) {
        return as_any(
            logsumexp_of(x, {.axis = axis, .keepdims = keepdims, .engine = engine, .threads = threads, .out = out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = truth{}, "engine"_a = nb::none(),
      "threads"_a = 0, "out"_a = nb::none(),
      "The logarithm of the sum of exponentials, from one read: within 2^-50 and 2^-51 of itself before it is "
      "rounded.");
}

void add_central_moments(nb::module_& module) {
  module.def(
      "moment",
      [](nb::handle x, int power, nb::handle shift, object_ref axis, truth keepdims, object_ref engine, int threads,
         object_ref out) {
        return as_any(moment_of(
            x, power, shift, {.axis = axis, .keepdims = keepdims, .engine = engine, .threads = threads, .out = out}));
      },
      "x"_a.none(), "power"_a, nb::kw_only(), "shift"_a = nb::none(), "axis"_a = nb::none(), "keepdims"_a = truth{},
      "engine"_a = nb::none(), "threads"_a = 0, "out"_a = nb::none(),
      "The mean of (x - shift)^power, correctly rounded, for powers of 1 to 4; about the exact mean unless shift is "
      "given. float64 of integers.");
  module.def(
      "skewness",
      [](nb::handle x, object_ref axis, truth bias, truth keepdims, object_ref engine, int threads, object_ref out) {
        return as_any(skewness_of(
            x, bias, {.axis = axis, .keepdims = keepdims, .engine = engine, .threads = threads, .out = out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "bias"_a = truth{true}, "keepdims"_a = truth{},
      "engine"_a = nb::none(), "threads"_a = 0, "out"_a = nb::none(),
      "m3 / m2^1.5, with the central moments m2 and m3, correctly rounded; NaN of equal elements, and with bias=False "
      "of fewer than 3.");
  module.def(
      "kurtosis",
      [](nb::handle x, object_ref axis, truth fisher, truth bias, truth keepdims, object_ref engine, int threads,
         object_ref out) {
        return as_any(kurtosis_of(
            x, fisher, bias, {.axis = axis, .keepdims = keepdims, .engine = engine, .threads = threads, .out = out}));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "fisher"_a = truth{true}, "bias"_a = truth{true},
      "keepdims"_a = truth{}, "engine"_a = nb::none(), "threads"_a = 0, "out"_a = nb::none(),
      "m4 / m2^2 - 3, with the central moments m2 and m4, correctly rounded; without the 3 if fisher=False. NaN of "
      "equal elements, and with bias=False of fewer than 4.");
}

void add_of_two(nb::module_& module) {
  module.def(
      "vecdot",
      [](nb::handle x1, nb::handle x2, object_ref axis, object_ref nan, object_ref engine, int threads,
         object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(vecdot(x1, x2, {axis, none, false, none, none, none, nan, none, engine, threads, stream, out}));
      },
      "x1"_a.none(), "x2"_a.none(), nb::kw_only(), "axis"_a = -1, MULTIFOLD_PY_COMMON,
      "The sums of conj(x1) x2 along one axis of two arrays, which are broadcast against each other; integers wrap.");
  module.def(
      "dot",
      [](nb::handle x, nb::handle y, object_ref axis, object_ref type, truth keepdims, object_ref where, object_ref nan,
         object_ref engine, int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(reduce_one(op_kind::dot, x, y,
                                 {axis, type, keepdims, where, none, none, nan, none, engine, threads, stream, out}));
      },
      "x"_a.none(), "y"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "keepdims"_a = truth{},
      "where"_a = nb::none(), MULTIFOLD_PY_COMMON,
      "The sum of products of the elements of two arrays of one dtype and shape, over all axes or the ones named.");
  module.def(
      "cov",
      [](nb::handle x, nb::handle y, object_ref axis, object_ref correction, object_ref type, truth keepdims,
         object_ref where, object_ref nan, object_ref engine, int threads, object_ref stream, object_ref out) {
        const nb::object none = nb::none();
        return as_any(
            reduce_one(op_kind::cov, x, y,
                       {axis, type, keepdims, where, none, correction, nan, none, engine, threads, stream, out}));
      },
      "x"_a.none(), "y"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "correction"_a = 1, "dtype"_a = nb::none(),
      "keepdims"_a = truth{}, "where"_a = nb::none(), MULTIFOLD_PY_COMMON,
      "The covariance of two arrays of one dtype and shape; correction is 1 as in numpy.cov.");
}

}  // namespace

void add_reductions(nb::module_& module) {
  add_total<op_kind::sum>(module, "sum",
                          "The sum, correctly rounded; integers that leave their dtype are an OverflowError.");
  add_total<op_kind::prod>(module, "prod",
                           "The product: exact of integers, and of floats within n 2^-100 of it before it is rounded.");
  add_total<op_kind::mean>(module, "mean", "The arithmetic mean, correctly rounded; float64 of integers.");
  add_extreme<op_kind::min>(module, "min", "The least element; a NaN if there is one.");
  add_extreme<op_kind::max>(module, "max", "The greatest element; a NaN if there is one.");
  add_plain<op_kind::argmin>(module, "argmin", "The first index of the least element.");
  add_plain<op_kind::argmax>(module, "argmax", "The first index of the greatest element.");
  add_plain<op_kind::any>(module, "any", "Whether an element is not zero.");
  add_plain<op_kind::all>(module, "all", "Whether no element is zero.");
  add_plain<op_kind::count_nonzero>(module, "count_nonzero", "How many elements are not zero.");
  add_spread<op_kind::var>(module, "var", "The variance, correctly rounded; correction comes off the count.");
  add_spread<op_kind::std>(module, "std", "The square root of the variance, correctly rounded.");
  add_spread<op_kind::describe>(module, "describe", "All of multifold.Summary in one read.");
  add_norms(module);
  add_logsumexp(module);
  add_central_moments(module);
  add_of_two(module);
}

}  // namespace multifold::python
