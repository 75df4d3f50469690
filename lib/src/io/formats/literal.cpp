// The tokens of Python literals: strings, booleans, integers, punctuation.
#include "io/formats/literal.hpp"

#include <charconv>
#include <system_error>

#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Of a code point below 0x110000.
void append_utf8(std::string& text, char32_t point) {
  const auto unit = [&text](char32_t bits) { text += static_cast<char>(bits); };
  if (point < 0x80) return unit(point);
  if (point < 0x800) {
    unit(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      unit(0xe0 | point >> 12);
    } else {
      unit(0xf0 | point >> 18);
      unit(0x80 | (point >> 12 & 0x3f));
    }
    unit(0x80 | (point >> 6 & 0x3f));
  }
  unit(0x80 | (point & 0x3f));
}

bool is_high_surrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

}  // namespace

char literal_reader::peek() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool literal_reader::accept(char character) {
  if (peek() != character || position_ == text_.size()) return false;
  ++position_;
  return true;
}

void literal_reader::expect(char character, const char* expected) {
  if (!accept(character)) fail(expected);
}

std::string_view literal_reader::string(const char* expected) {
  const char quote = peek();
  if (quote != '\'' && quote != '"') fail(expected);
  const std::size_t first = position_ + 1;
  const char ends[] = {quote, '\\', '\n'};
  const std::size_t end = text_.find_first_of(std::string_view(ends, sizeof ends), first);
  if (end == std::string_view::npos || text_[end] != quote) fail(std::string(expected) + " in quotes, without escapes");
  position_ = end + 1;
  return text_.substr(first, end - first);
}

std::string literal_reader::json_string(const char* expected) {
  if (peek() != '"') fail(std::string(expected) + " in double quotes");
  ++position_;
  std::string value;
  for (;;) {
    const std::size_t first = position_;
    while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\\' &&
           static_cast<unsigned char>(text_[position_]) >= 0x20) {
      ++position_;
    }
    value += text_.substr(first, position_ - first);
    if (position_ == text_.size() || static_cast<unsigned char>(text_[position_]) < 0x20) {
      fail("'\"' at the end of a string");
    }
    if (text_[position_++] == '"') return value;
    append_utf8(value, json_escape());
  }
}

// What follows a backslash.
char32_t literal_reader::json_escape() {
  constexpr std::string_view escapes = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char next = position_ < text_.size() ? text_[position_] : '\0';
  if (const std::size_t which = escapes.find(next); next != '\0' && which != std::string_view::npos) {
    ++position_;
    return static_cast<unsigned char>(meanings[which]);
  }
  const char32_t unit = json_unit();
  if (is_low_surrogate(unit)) fail("no second half of a surrogate pair without its first");
  if (!is_high_surrogate(unit)) return unit;
  if (position_ == text_.size() || text_[position_] != '\\') fail("the second half of a surrogate pair");
  ++position_;
  const char32_t second = json_unit();
  if (!is_low_surrogate(second)) fail("the second half of a surrogate pair");
  return 0x10000 + ((unit & 0x3ff) << 10 | (second & 0x3ff));
}

// "u20ac".
char32_t literal_reader::json_unit() {
  std::uint32_t unit = 0;
  const std::string_view four = rest().size() < 5 ? std::string_view() : rest().substr(1, 4);
  const auto [end, code] = std::from_chars(four.data(), four.data() + four.size(), unit, 16);
  if (!rest().starts_with('u') || four.empty() || code != std::errc{} || end != four.data() + 4) {
    fail("one of \" \\ / b f n r t, or u and four hexadecimal digits, after a backslash");
  }
  position_ += 5;
  return unit;
}

bool literal_reader::accept_word(std::string_view word) {
  peek();
  if (!rest().starts_with(word)) return false;
  if (rest().size() > word.size() && is_word(rest()[word.size()])) return false;
  position_ += word.size();
  return true;
}

bool literal_reader::boolean(const char* expected) {
  if (accept_word("True")) return true;
  if (accept_word("False")) return false;
  fail(expected);
}

std::int64_t literal_reader::integer(const char* expected) {
  peek();
  const std::string_view text = rest();
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) fail(std::string(expected) + " that fits 64 bits");
  if (code != std::errc{}) fail(expected);
  std::size_t length = static_cast<std::size_t>(end - text.data());
  if (length < text.size() && (text[length] == 'L' || text[length] == 'l')) ++length;
  if (length < text.size() && is_word(text[length])) fail(expected);
  position_ += length;
  return value;
}

void literal_reader::fail(const std::string& expected) const {
  const std::string found = rest().empty() ? "the end of the header" : printable(rest(), 24);
  throw format_error(at(*label_, byte()) + "found " + found + "; expected " + expected);
}

}  // namespace multifold::inline v0_1::io
