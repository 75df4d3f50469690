// Results go to NumPy first; other libraries make arrays of that.
#include "calls/results.hpp"

#include <cstring>

#include "arguments/taken_array.hpp"

namespace multifold::python {
namespace {

// The library of an array that is none of NumPy's, as a module; none otherwise.
nb::object library_of(nb::handle like) {
  if (!like.is_valid() || has_host_buffer(like) || !nb::hasattr(like, "__dlpack__")) return nb::none();
  const std::string name = text_of(like.type().attr("__module__"));
  if (name == "torch" || name.starts_with("torch.")) return nb::module_::import_("torch");
  if (name == "cupy") return nb::module_::import_("cupy");
  if (nb::hasattr(like, "__array_namespace__")) return like.attr("__array_namespace__")();
  return nb::none();
}

nb::object in_library(const nb::object& library, nb::object array, dtype type, nb::handle like) {
  if (nb::hasattr(library, "from_numpy")) {  // of torch, whose arrays from NumPy have no bfloat16
    const nb::object from_numpy = library.attr("from_numpy");
    const nb::object tensor = type != dtype::bf16
                                  ? from_numpy(array)
                                  : from_numpy(array.attr("view")("int16")).attr("view")(library.attr("bfloat16"));
    return tensor.attr("to")(like.attr("device"));
  }
  return library.attr("asarray")(array);
}

struct member {
  const char* name;
  std::size_t offset;
  dtype type;
};

}  // namespace

nb::object result_object(const reduce_result& result, nb::handle like, bool as_number) {
  if (as_number && !result.extents.empty()) throw nb::value_error("out=float takes a single result, not an array");
  if (as_number) return number(result.type, result.data.data());
  const nb::object library = library_of(like);
  if (!library.is_none())
    return in_library(library, numpy_array(result.type, result.extents, result.data.data()), result.type, like);
  if (result.extents.empty()) return numpy_scalar(result.type, result.data.data());
  return numpy_array(result.type, result.extents, result.data.data());
}

nb::object complex_object(const reduce_result& parts, nb::handle like, bool as_number) {
  std::vector<std::int64_t> extents = parts.extents;
  extents.pop_back();
  if (as_number && !extents.empty()) throw nb::value_error("out=complex takes a single result, not an array");
  const nb::object numbers = numpy_complex(parts.type, extents, parts.data.data());
  if (as_number) return numbers.attr("item")();
  const nb::object library = library_of(like);
  if (library.is_none()) return numbers;
  if (nb::hasattr(library, "from_numpy"))
    return library.attr("from_numpy")(nb::module_::import_("numpy").attr("asarray")(numbers));
  return library.attr("asarray")(numbers);
}

nb::object summary_object(const reduce_result& result, dtype element, bool as_number) {
  const dtype sum = default_result_dtype(op_kind::sum, element), real = result.type;
  const member members[] = {{"count", offsetof(summary, count), dtype::i64},
                            {"nan", offsetof(summary, nan), dtype::i64},
                            {"positive_infinity", offsetof(summary, positive_infinity), dtype::i64},
                            {"negative_infinity", offsetof(summary, negative_infinity), dtype::i64},
                            {"zero", offsetof(summary, zero), dtype::i64},
                            {"argmin", offsetof(summary, argmin), dtype::i64},
                            {"argmax", offsetof(summary, argmax), dtype::i64},
                            {"min", offsetof(summary, min), element},
                            {"max", offsetof(summary, max), element},
                            {"sum", offsetof(summary, sum), is_floating(sum) ? real : sum},
                            {"mean", offsetof(summary, mean), real},
                            {"std", offsetof(summary, std), real},
                            {"norm2", offsetof(summary, norm2), real}};
  if (as_number && !result.extents.empty()) throw nb::value_error("out=float takes a single result, not an array");
  nb::dict fields;
  const auto count = static_cast<std::size_t>(element_count(result.extents));
  for (const member& each : members) {
    const auto item = static_cast<std::size_t>(item_bytes(each.type));
    std::vector<std::byte> values(count * item);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(&values[i * item], &result.data[i * sizeof(summary) + each.offset], item);
    reduce_result column;
    column.type = each.type;
    column.extents = result.extents;
    column.data = std::move(values);
    fields[each.name] = result_object(column, nb::handle(), as_number);
  }
  return nb::module_::import_("multifold._summary").attr("Summary")(**fields);
}

}  // namespace multifold::python
