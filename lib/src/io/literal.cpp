// The tokens of Python literals: strings, booleans, integers, punctuation.
#include "io/literal.hpp"

#include <charconv>
#include <system_error>

#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

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

}  // namespace multifold::io
