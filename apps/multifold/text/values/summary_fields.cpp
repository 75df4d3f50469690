// The table of a summary's members.
#include "text/values/summary_fields.hpp"

#include "multifold/ops/moments/finish_moments.hpp"

namespace multifold::app {

std::vector<summary_field> fields_of(const reduce_result& result, std::int64_t index) {
  const summary& s = result.described(index);
  const dtype element = result.used.what.input, real = result.type;
  const bool any = s.count > 0;
  const auto counted = [](std::string_view key, std::string_view label, const std::int64_t& number) {
    return summary_field{key, label, dtype::i64, true, reinterpret_cast<const std::byte*>(&number)};
  };
  const auto value = [](std::string_view name, dtype type, const std::byte* at) {
    return summary_field{name, name, type, false, at};
  };
  const auto place = [&](std::string_view name, const std::int64_t& number) {
    summary_field field = counted(name, name, number);
    if (number < 0) field.value = nullptr;
    return field;
  };
  return {counted("count", "count", s.count),
          counted("nan", "nan", s.nan),
          counted("positive_infinity", "+inf", s.positive_infinity),
          counted("negative_infinity", "-inf", s.negative_infinity),
          counted("zero", "zeros", s.zero),
          value("sum", summary_sum_dtype(element, real), s.sum),
          value("mean", real, s.mean),
          value("std", real, s.std),
          value("norm2", real, s.norm2),
          value("min", element, any ? s.min : nullptr),
          place("argmin", s.argmin),
          value("max", element, any ? s.max : nullptr),
          place("argmax", s.argmax)};
}

}  // namespace multifold::app
