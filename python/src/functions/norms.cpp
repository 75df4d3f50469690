// Norms of order 1, 2 and inf are operations of the library, or made of two of them; all others are folds.
#include "functions/norms.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "arguments/python_source.hpp"
#include "calls/results.hpp"
#include "functions/folded.hpp"
#include "multifold/norm.hpp"

namespace multifold::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The greater magnitude of a greatest and a least element. NaN, if there is one, is both.
void to_magnitudes(reduce_result& greatest, const reduce_result& least) {
  visit_floating(greatest.type, [&]<class T>() {
    for (std::size_t at = 0; at < greatest.data.size(); at += sizeof(T)) {
      T high, low;
      std::memcpy(&high, &greatest.data[at], sizeof(T));
      std::memcpy(&low, &least.data[at], sizeof(T));
      if (-to_double(low) > to_double(high)) std::memcpy(&greatest.data[at], &low, sizeof(T));
      greatest.data[at + sizeof(T) - 1] &= std::byte{0x7f};
    }
  });
}

nb::object greatest_magnitude(nb::handle x, const keywords& given) {
  settings set = settings_from(given);
  constexpr op_kind ops[] = {op_kind::max, op_kind::min};
  std::vector<reduce_result> ends = reduce_together(ops, x, set);
  if (!is_floating(ends[0].type)) raise_type_error("a norm of integers of infinite order: x.astype('float64') has one");
  to_magnitudes(ends[0], ends[1]);
  return result_object(ends[0], x, set.as_number);
}

// The real or the imaginary parts.
array_view part(const array_view& parts, std::int64_t which) {
  array_view one = parts;
  one.extents.pop_back();
  one.strides.pop_back();
  if (parts.elements() > 0) one.data = static_cast<const std::byte*>(parts.data) + which * item_bytes(parts.type);
  return one;
}

nb::object any_norm(nb::handle x, const keywords& given, double order) {
  const settings set = settings_from(given);
  const std::string called = "vector_norm of order " + text_of(nb::float_(order));
  refuse_options(called, set.options);
  if (is_source(x)) raise_type_error(called + " is that of arrays in memory");
  const bool complex = holds_complex(x);
  const taken_array array(x, complex_numbers::as_parts);
  const array_view& view = array.view();
  if (!is_floating(view.type)) raise_type_error(called + " of integers: x.astype('float64') has one");
  if (std::isinf(order) && view.elements() == 0) throw nb::value_error((called + " has no value of nothing").c_str());
  reduce_result result;
  without_gil(is_long(view), [&](std::stop_token stop) {
    fold_options how = fold_options_from(set.options);
    how.stop = std::move(stop);
    visit_floating(view.type, [&]<class T>() {
      if (!complex) result = result_of(fold(norm_fold<T>{order}, view, how));
      else if constexpr (sizeof(T) >= sizeof(float))
        result = result_of(fold(norm_fold<T, element_pair<T>>{order}, {part(view, 0), part(view, 1)}, how));
    });
  });
  return result_object(result, x, set.as_number);
}

}  // namespace

nb::object vector_norm(nb::handle x, const keywords& given, nb::handle order) {
  const nb::object real = nb::steal(PyNumber_Float(order.ptr()));
  if (!real.is_valid()) throw nb::python_error();
  const double ord = PyFloat_AsDouble(real.ptr());
  if (std::isnan(ord)) throw nb::value_error("ord of vector_norm is a number, and not NaN");
  if (ord == 2) {
    if (given.are_default())
      if (nb::object value = quick_value(op_kind::norm2, x); value.is_valid()) return value;
    return reduce_one(op_kind::norm2, x, nb::handle(), given);
  }
  const bool complex = holds_complex(x);
  if (ord == 1 && !complex) return reduce_one(op_kind::norm1, x, nb::handle(), given);
  if (ord == infinity && !complex) return greatest_magnitude(x, given);
  return any_norm(x, given, ord);
}

}  // namespace multifold::python
