// Shortest decimals, for the 16-bit formats too, and bits.
#include "text/values/value_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "multifold/types/float16.hpp"

namespace multifold::app {
namespace {

template <class T>
T load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// "d.ddde+xx", with the fewest digits that `T` needs.
template <class T>
std::string shortest_scientific(T x) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific).ptr};
}

double number_in(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "d.ddde+xx" of `x` with so many digits behind the point, the nearest one to x.
std::string scientific(double x, int digits) {
  std::array<char, 64> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific, digits).ptr};
}

// The 16-bit formats, which to_chars does not know: more digits until the text reads back as the same bits. Beside the
// nearest decimal, its neighbours may: at a power of two, values above lie farther apart than those below, and the
// nearest one may be below.
template <class Narrow>
std::string shortest_scientific(double x, std::uint16_t bits, Narrow narrow) {
  for (int digits = 0; digits < 16; ++digits) {
    const std::string nearest = scientific(x, digits);
    const double unit = std::pow(10.0, std::stoi(nearest.substr(nearest.find('e') + 1)) - digits);
    std::string found;
    double error = 0;
    for (const double step : {0.0, -1.0, 1.0}) {
      const std::string text = step == 0 ? nearest : scientific(number_in(nearest) + step * unit, digits);
      const double back = number_in(text);
      if (narrow(back).bits != bits || (!found.empty() && std::abs(back - x) >= error)) continue;
      found = text;
      error = std::abs(back - x);
    }
    if (!found.empty()) return found;
  }
  return scientific(x, 16);
}

// As Python writes floats, but without ".0": digits and zeros where the number is short, else with an exponent.
std::string laid_out(const std::string& scientific) {
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent < -5 || exponent > 15) return scientific;
  const bool negative = scientific[0] == '-';
  std::string digits = scientific.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  if (digits.size() > 1) digits.erase(1, 1);
  if (exponent < 0) {
    digits = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    if (digits.size() > whole) digits.insert(whole, ".");
  }
  return negative ? "-" + digits : digits;
}

std::string real_text(dtype type, const std::byte* element) {
  const double x = real_value(type, element);
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return visit_floating(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, f16>) return laid_out(shortest_scientific(x, load<f16>(element).bits, to_f16));
    else if constexpr (std::is_same_v<T, bf16>)
      return laid_out(shortest_scientific(x, load<bf16>(element).bits, to_bf16));
    else return laid_out(shortest_scientific(static_cast<T>(x)));
  });
}

}  // namespace

double real_value(dtype type, const std::byte* element) {
  return visit_floating(type, [&]<class T>() { return to_double(load<T>(element)); });
}

std::string value_text(dtype type, const std::byte* element) {
  switch (type) {
    case dtype::boolean: return load<std::uint8_t>(element) != 0 ? "true" : "false";
    case dtype::i8: return std::to_string(load<std::int8_t>(element));
    case dtype::i16: return std::to_string(load<std::int16_t>(element));
    case dtype::i32: return std::to_string(load<std::int32_t>(element));
    case dtype::i64: return std::to_string(load<std::int64_t>(element));
    case dtype::u8: return std::to_string(load<std::uint8_t>(element));
    case dtype::u16: return std::to_string(load<std::uint16_t>(element));
    case dtype::u32: return std::to_string(load<std::uint32_t>(element));
    case dtype::u64: return std::to_string(load<std::uint64_t>(element));
    case dtype::f16:
    case dtype::bf16:
    case dtype::f32:
    case dtype::f64: break;
  }
  return real_text(type, element);
}

std::string hex_text(dtype type, const std::byte* element) {
  const auto bytes = static_cast<std::size_t>(item_bytes(type));
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, bytes);  // little-endian
  return fmt::format("0x{:0{}x}", bits, 2 * bytes);
}

}  // namespace multifold::app
