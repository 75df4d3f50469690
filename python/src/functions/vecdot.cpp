// Dtypes are promoted by the library of the arrays, in a copy of the narrower one. Integers are multiplied modulo 2^64,
// and results are of their dtype, as those of array libraries; dot() is exact.
#include "functions/vecdot.hpp"

#include <algorithm>
#include <utility>

#include "calls/results.hpp"
#include "functions/folded.hpp"
#include "multifold/complex.hpp"

namespace multifold::python {
namespace {

using pair_of_objects = std::pair<nb::object, nb::object>;

bool is_of_torch(nb::handle object) {
  const std::string module = text_of(object.type().attr("__module__"));
  return module == "torch" || module.starts_with("torch.");
}

// Both in the dtype that their library promotes theirs to.
pair_of_objects promoted(nb::handle x, nb::handle y) {
  const pair_of_objects both{nb::borrow(x), nb::borrow(y)};
  if (!nb::hasattr(x, "dtype") || !nb::hasattr(y, "dtype")) return both;
  const nb::object a = x.attr("dtype"), b = y.attr("dtype");
  if (a.equal(b)) return both;
  if (is_of_torch(x) && is_of_torch(y)) {
    const nb::object type = nb::module_::import_("torch").attr("promote_types")(a, b);
    return {x.attr("to")(type), y.attr("to")(type)};
  }
  const bool buffers = PyObject_CheckBuffer(x.ptr()) != 0 && PyObject_CheckBuffer(y.ptr()) != 0;
  if (!buffers && nb::hasattr(x, "__array_namespace__")) {
    const nb::object library = x.attr("__array_namespace__")();
    const nb::object type = library.attr("result_type")(x, y);
    return {library.attr("astype")(x, type), library.attr("astype")(y, type)};
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object type = numpy.attr("result_type")(a, b);
  return {numpy.attr("asarray")(x, type), numpy.attr("asarray")(y, type)};
}

std::vector<std::int64_t> common_extents(std::vector<std::int64_t> x, const std::vector<std::int64_t>& y) {
  const std::size_t rank = std::max(x.size(), y.size());
  x.insert(x.begin(), rank - x.size(), 1);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != 1) x[rank - y.size() + i] = y[i];
  return x;
}

// Of axis 1, 2, ... from the end; throws where there is none.
std::int64_t extent_from_end(const std::vector<std::int64_t>& extents, std::int64_t axis) {
  if (axis < 1 || axis > static_cast<std::int64_t>(extents.size()))
    throw nb::value_error("an array of vecdot has no such axis");
  return extents[extents.size() - static_cast<std::size_t>(axis)];
}

// The last bits of the exact dot: products and sums that leave them wrap.
template <class T>
struct wrapping_dot {
  using value_type = element_pair<T>;
  using accumulator = std::uint64_t;
  static constexpr bool uses_index = false;

  std::uint64_t identity() const { return 0; }
  std::uint64_t lift(const element_pair<T>& v, std::int64_t) const {
    return static_cast<std::uint64_t>(v.x) * static_cast<std::uint64_t>(v.y);
  }
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) const { return a + b; }
  T lower(std::uint64_t sum, std::int64_t) const { return static_cast<T>(sum); }
};

reduce_result wrapped(const array_view& x, const array_view& y, const reduce_options& options) {
  return visit_dtype(x.type, [&]<class T>() -> reduce_result {
    if constexpr (std::is_integral_v<T>) return result_of(fold(wrapping_dot<T>{}, {x, y}, fold_options_from(options)));
    else return {};
  });
}

bool is_integer(dtype type) { return !is_floating(type) && type != dtype::boolean; }

}  // namespace

nb::object vecdot(nb::handle x, nb::handle y, const keywords& given) {
  settings set = settings_from(given);
  const pair_of_objects both = promoted(x, y);
  const bool complex = holds_complex(both.first);
  const taken_array first(both.first, complex_numbers::as_parts, set.stream);
  const taken_array other(both.second, complex_numbers::as_parts, set.stream);
  if (!first.on_device() || !other.on_device()) refuse_on_host(set.stream);
  const auto shape_of = [&](const array_view& view) {
    std::vector<std::int64_t> extents = view.extents;
    if (complex) extents.pop_back();
    return extents;
  };
  const std::vector<std::int64_t> a_shape = shape_of(first.view()), b_shape = shape_of(other.view());
  std::vector<std::int64_t> common = common_extents(a_shape, b_shape);
  const std::vector<std::int64_t> axis = integers_from(given.axis, "axis");
  if (axis.size() != 1) throw nb::value_error("vecdot takes one axis");
  const std::int64_t from_end = axis[0] < 0 ? -axis[0] : static_cast<std::int64_t>(common.size()) - axis[0];
  if (extent_from_end(a_shape, from_end) != extent_from_end(b_shape, from_end))
    throw nb::value_error("the axis of vecdot has to have the same extent in both arrays");
  if (complex) common.push_back(2);
  const array_view a = broadcast_to(first.view(), common), b = broadcast_to(other.view(), common);
  reduce_result result;
  const bool on_host = a.where == place::host;
  without_gil(is_long(a), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    if (complex) result = reduce_complex(op_kind::dot, a, b, set.options);
    else if (is_integer(a.type) && a.type == b.type && on_host) result = wrapped(a, b, set.options);
    else result = reduce(op_kind::dot, a, b, set.options);
  });
  return complex ? complex_object(result, x, set.as_number) : result_object(result, x, set.as_number);
}

}  // namespace multifold::python
