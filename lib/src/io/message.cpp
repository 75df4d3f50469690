// Escaping and phrasing for error messages.
#include "io/message.hpp"

#include <system_error>

#include "multifold/array.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr char digits[] = "0123456789abcdef";

void append_hex(std::string& text, unsigned char byte) {
  text += digits[byte >> 4];
  text += digits[byte & 15];
}

void append_escaped(std::string& text, unsigned char byte) {
  text += "\\x";
  append_hex(text, byte);
}

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

}  // namespace

std::string label_of(const std::string& path, std::string_view standard_stream) {
  if (path == "-") return std::string(standard_stream);
  if (path.empty()) return "\"\"";
  std::string label;
  for (const char character : path) {
    const auto byte = static_cast<unsigned char>(character);
    if (is_control(byte)) {
      append_escaped(label, byte);
    } else {
      label += character;
    }
  }
  return label;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  for (const char character : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(character);
    if (is_control(byte) || byte >= 0x80) {
      append_escaped(result, byte);
    } else {
      result += character;
    }
  }
  return text.size() > limit ? result + "..." : result;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    if (!text.empty()) text += ' ';
    append_hex(text, std::to_integer<unsigned char>(byte));
  }
  return text;
}

std::string at(const std::string& label, std::int64_t byte) { return label + ": byte " + std::to_string(byte) + ": "; }

std::string system_message(int code) { return std::generic_category().message(code); }

std::string describe(const array_layout& layout) {
  return "shape " + to_string(layout.extents) + " of " + std::string(multifold::name(layout.type));
}

std::string bytes_text(std::int64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace multifold::inline v0_1::io
