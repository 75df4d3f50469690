// Complex numbers are taken as real arrays with an axis of parts; real ones become complex when they are reduced.
#include "functions/complex_numbers.hpp"

#include <cstring>

#include "arguments/python_source.hpp"
#include "calls/results.hpp"
#include "functions/folded.hpp"
#include "multifold/complex.hpp"

namespace multifold::python {
namespace {

// With an imaginary part of 0 behind each element.
void add_imaginary_parts(reduce_result& result) {
  const auto item = static_cast<std::size_t>(item_bytes(result.type));
  std::vector<std::byte> both(2 * result.data.size());
  for (std::size_t at = 0; at < result.data.size(); at += item) std::memcpy(&both[2 * at], &result.data[at], item);
  result.data = std::move(both);
  result.extents.push_back(2);
}

bool is_real(op_kind op) { return op == op_kind::sumsq || op == op_kind::norm2 || takes_truths(op); }

}  // namespace

bool gives_complex(nb::handle x, const keywords& given) {
  return (!given.type.is_none() && parts_of_dtype(given.type).has_value()) || holds_complex(x);
}

nb::object reduce_complex_numbers(op_kind op, nb::handle x, const keywords& given) {
  if (takes_two_arrays(op))
    raise_type_error("a " + std::string(name(op)) + " of complex numbers is not there: vecdot, of conj(x1) and x2, is");
  keywords others = given;
  others.type = nb::none();
  settings set = settings_from(others);
  if (!given.type.is_none()) {
    set.options.result = parts_of_dtype(given.type);
    if (!set.options.result || is_real(op))
      raise_type_error("a " + std::string(name(op)) + " of complex numbers has no results of " + text_of(given.type));
  }
  const bool real = !holds_complex(x);
  if (real && op != op_kind::sum && op != op_kind::prod && op != op_kind::mean)
    raise_type_error("a " + std::string(name(op)) + " of real numbers is not complex");
  const taken_array array(x, complex_numbers::as_parts, set.stream);
  if (!array.on_device()) refuse_on_host(set.stream);
  const array_view& view = array.view();
  reduce_result result;
  without_gil(is_long(view), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    result = real ? reduce(op, view, set.options) : reduce_complex(op, view, set.options);
  });
  if (real) add_imaginary_parts(result);
  return is_real(op) ? result_object(result, x, set.as_number) : complex_object(result, x, set.as_number);
}

}  // namespace multifold::python
