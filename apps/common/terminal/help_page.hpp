// Help as text: headings, tables and examples, broken to the width of the terminal. Knows no options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace multifold::app {

/// A row of a table, or an example and what it does.
using help_row = std::pair<std::string, std::string>;

class help_page {
 public:
  help_page(int columns, bool coloured) : columns_(static_cast<std::size_t>(columns)), coloured_(coloured) {}

  /// Of the terminal that standard output goes to.
  static help_page of_standard_output();

  /// Text of one line or several; a blank line stands before it.
  void paragraph(std::string_view text);

  /// The same, where lines behind the first begin under the one behind `head`.
  void hanging(std::string_view head, std::string_view text);

  /// A heading and rows of two columns. Where the first one does not fit, the second begins on the next line.
  void table(std::string_view heading, const std::vector<help_row>& rows, std::size_t left_columns);

  /// The same with rows of one line, as far as leaving out clauses from the end makes that of them.
  void summaries(std::string_view heading, const std::vector<help_row>& rows, std::size_t left_columns);

  /// Commands with what they do behind them, or above where that is too wide.
  void examples(std::string_view heading, const std::vector<help_row>& rows);

  const std::string& text() const noexcept { return text_; }

 private:
  void heading(std::string_view text);
  void command(const std::string& words);

  std::size_t columns_;
  bool coloured_;
  std::string text_;
};

/// The width of the first column that suits these rows, with its gaps; longer ones than 24 do not count.
std::size_t left_columns_of(const std::vector<help_row>& rows);

}  // namespace multifold::app
