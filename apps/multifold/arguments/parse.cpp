// Words of the command line as types, shapes, axes and values.
#include "arguments/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "common/messages/failure.hpp"
#include "multifold/array.hpp"
#include "multifold/devices.hpp"
#include "multifold/error.hpp"
#include "text/size_text.hpp"

namespace multifold::app {
namespace {

// from_chars knows no plus sign.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  text = without_plus(text);
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What stands between commas and x's, without spaces; a comma may stand at the end, as in (3,).
std::vector<std::string> fields_of(std::string text, std::string_view separators) {
  std::erase_if(text, [](char c) { return c == ' '; });
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (separators.find(c) == std::string_view::npos) fields.back() += c;
    else fields.emplace_back();
  }
  if (fields.back().empty()) fields.pop_back();
  return fields;
}

}  // namespace

std::int64_t parse_bytes(const std::string& option, const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_size(text);
  if (!bytes) throw usage(option + ": found '" + text + "'; expected bytes like 4096, 256MiB, 4GiB or 1e9");
  return *bytes;
}

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::string inside = text;
  if (inside.size() >= 2 && inside.front() == '(' && inside.back() == ')') inside = inside.substr(1, inside.size() - 2);
  else if (inside.empty()) throw usage("--shape: found nothing; expected extents like 1000,64");
  std::vector<std::int64_t> extents;
  for (const std::string& field : fields_of(inside, ",x")) {
    const std::optional<std::int64_t> extent = parse_number<std::int64_t>(field);
    if (!extent || *extent < 0) {
      throw usage("--shape: found '" + field + "' in '" + text + "'; expected extents of 0 or more, like 1000,64");
    }
    extents.push_back(*extent);
  }
  try {
    element_count(extents);
  } catch (const shape_error& e) {
    throw usage(std::string("--shape: ") + e.what());
  }
  return extents;
}

axes parse_axes(const std::vector<std::string>& texts) {
  if (texts.empty()) return axes::all;
  std::vector<std::int64_t> numbers;
  for (const std::string& text : texts) {
    if (text.empty()) throw usage("--axis: found nothing; expected axes like 0 or 0,-1");
    for (const std::string& field : fields_of(text, ",")) {
      const std::optional<std::int64_t> axis = parse_number<std::int64_t>(field);
      if (!axis) throw usage("--axis: found '" + text + "'; expected axes like 0 or 0,-1");
      numbers.push_back(*axis);
    }
  }
  return numbers;
}

std::vector<int> parse_devices(const std::string& text) {
  if (text == "all") return devices();
  std::vector<int> numbers;
  for (const std::string& field : fields_of(text, ",")) numbers.push_back(parse_number<int>(field).value_or(-1));
  if (numbers.empty() || *std::min_element(numbers.begin(), numbers.end()) < 0) {
    throw usage("--devices: found '" + text + "'; expected all, or numbers of GPUs like 0,1");
  }
  return numbers;
}

correction parse_correction(const std::string& text) {
  const std::optional<std::int64_t> integer = parse_number<std::int64_t>(text);
  const std::optional<double> real = parse_number<double>(text);
  const correction found = integer ? correction(*integer) : correction(real.value_or(-1));
  if (!found.is_valid())
    throw usage("--correction: found '" + text + "'; expected a number of 0 or more, like 1 or 0.5");
  return found;
}

std::variant<std::int64_t, std::uint64_t, double> parse_shift(const std::string& text) {
  if (const auto below = parse_number<std::int64_t>(text)) return *below;
  if (const auto above = parse_number<std::uint64_t>(text)) return *above;
  const std::optional<double> real = parse_number<double>(text);
  if (!real || !std::isfinite(*real)) throw usage("--shift: found '" + text + "'; expected a finite number");
  return *real;
}

initial_value parse_initial(const std::string& text, dtype input) {
  initial_value initial;
  initial.given = true;
  if (is_floating(input)) {
    const std::optional<double> real = parse_number<double>(text);
    if (!real) throw usage("--initial: found '" + text + "'; expected a number");
    initial.real_value = *real;
    return initial;
  }
  const std::optional<std::int64_t> below = parse_number<std::int64_t>(text);
  const std::optional<std::uint64_t> above = parse_number<std::uint64_t>(text);
  if (!below && !above) {
    throw usage("--initial: found '" + text + "'; expected an integer of 64 bits, as the elements are " +
                std::string(name(input)));
  }
  initial.integer = true;
  initial.integer_value = below ? int128_t{*below} : int128_t{*above};
  initial.real_value = static_cast<double>(initial.integer_value);
  return initial;
}

}  // namespace multifold::app
