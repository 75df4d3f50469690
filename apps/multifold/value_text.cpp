// Shortest decimals, for the 16-bit formats too, and bits.
#include "value_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "multifold/float16.hpp"

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

// The 16-bit formats, which to_chars does not know: more digits until the text reads back as the same bits.
template <class Narrow>
std::string shortest_scientific(double x, std::uint16_t bits, Narrow narrow) {
  std::array<char, 64> text;
  std::string found;
  for (int digits = 0; digits <= 16; ++digits) {
    char* end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific, digits).ptr;
    found.assign(text.data(), static_cast<std::size_t>(end - text.data()));
    double back = 0;
    std::from_chars(text.data(), end, back);
    if (narrow(back).bits == bits) break;
  }
  return found;
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
  switch (type) {
    case dtype::f16: return laid_out(shortest_scientific(x, load<f16>(element).bits, to_f16));
    case dtype::bf16: return laid_out(shortest_scientific(x, load<bf16>(element).bits, to_bf16));
    case dtype::f32: return laid_out(shortest_scientific(static_cast<float>(x)));
    default: return laid_out(shortest_scientific(x));
  }
}

}  // namespace

double real_value(dtype type, const std::byte* element) {
  switch (type) {
    case dtype::f16: return to_double(load<f16>(element));
    case dtype::bf16: return to_double(load<bf16>(element));
    case dtype::f32: return to_double(load<float>(element));
    default: return load<double>(element);
  }
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
    default: return real_text(type, element);
  }
}

std::string hex_text(dtype type, const std::byte* element) {
  switch (item_bytes(type)) {
    case 1: return fmt::format("0x{:02x}", load<std::uint8_t>(element));
    case 2: return fmt::format("0x{:04x}", load<std::uint16_t>(element));
    case 4: return fmt::format("0x{:08x}", load<std::uint32_t>(element));
    default: return fmt::format("0x{:016x}", load<std::uint64_t>(element));
  }
}

}  // namespace multifold::app
