// Reads the few Python literals that a .npy header is made of, and JSON's, which are nearly the same, one token at a
// time. Builds no tree, so garbage of any depth costs neither stack nor memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace multifold::inline v0_1::io {

/// A place in a text; every failure is a format_error that names the byte in the file.
class literal_reader {
 public:
  /// `text` starts at byte `first_byte` of the file that messages call `label`.
  literal_reader(std::string_view text, const std::string& label, std::int64_t first_byte)
      : text_(text), label_(&label), first_byte_(first_byte) {}

  /// The next character that is not white space; 0 at the end.
  char peek();

  /// Steps over `character` if it is next.
  bool accept(char character);

  /// Steps over `character`, or fails with `expected`.
  void expect(char character, const char* expected);

  /// A string in single or double quotes, without prefix or escapes.
  std::string_view string(const char* expected);

  /// A string as JSON writes it: in double quotes, with escapes, which come out as UTF-8.
  std::string json_string(const char* expected);

  /// True or False.
  bool boolean(const char* expected);

  /// A decimal integer of 64 bits; the L of Python 2's long integers is stepped over.
  std::int64_t integer(const char* expected);

  /// The byte of the file that is read next.
  std::int64_t byte() const noexcept { return first_byte_ + static_cast<std::int64_t>(position_); }

  std::string_view rest() const noexcept { return text_.substr(position_); }

  /// Throws format_error: what stands here, and what was expected.
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  bool accept_word(std::string_view word);
  char32_t json_escape();
  char32_t json_unit();

  std::string_view text_;
  const std::string* label_;
  std::int64_t first_byte_;
  std::size_t position_ = 0;
};

}  // namespace multifold::inline v0_1::io
