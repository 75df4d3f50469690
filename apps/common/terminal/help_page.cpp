// Breaking lines at spaces.
#include "common/terminal/help_page.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/terminal/terminal.hpp"

namespace multifold::app {
namespace {

constexpr std::size_t indent_columns = 2, gap_columns = 2, most_left = 24;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The words of `text`, where `column` columns of the first line are written already, and others begin with `margin`.
std::string broken(std::string_view text, std::size_t columns, const std::string& margin, std::size_t column) {
  std::string lines;
  bool first = true;
  for (const std::string_view word : words_of(text)) {
    if (!first && column + 1 + word.size() > columns) {
      lines += "\n" + margin;
      column = margin.size();
      first = true;
    }
    lines += (first ? "" : " ") + std::string(word);
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  return lines;
}

}  // namespace

help_page help_page::of_standard_output() { return {text_columns(), is_coloured(STDOUT_FILENO)}; }

void help_page::heading(std::string_view text) {
  if (!text_.empty()) text_ += "\n";
  text_ += styled(broken(std::string(text) + ":", columns_, "", 0), style::heading, coloured_) + "\n";
}

void help_page::summaries(std::string_view title, const std::vector<help_row>& rows, std::size_t left_columns) {
  std::vector<help_row> shortened = rows;
  for (help_row& row : shortened) {
    std::string& text = row.second;
    while (left_columns + text.size() > columns_) {
      const std::size_t clause = text.find_last_of(",:");
      if (clause == std::string::npos || clause == 0) break;
      text.erase(clause);
    }
  }
  table(title, shortened, left_columns);
}

void help_page::paragraph(std::string_view text) {
  if (!text_.empty()) text_ += "\n";
  text_ += broken(text, columns_, "", 0) + "\n";
}

void help_page::hanging(std::string_view head, std::string_view text) {
  if (!text_.empty()) text_ += "\n";
  text_ += styled(head, style::heading, coloured_) + " ";
  text_ += broken(text, columns_, std::string(head.size() + 1, ' '), head.size() + 1) + "\n";
}

void help_page::table(std::string_view title, const std::vector<help_row>& rows, std::size_t left_columns) {
  heading(title);
  for (const help_row& row : rows) {
    text_ += std::string(indent_columns, ' ') + row.first;
    std::size_t column = indent_columns + row.first.size();
    if (row.second.empty()) {
      text_ += "\n";
      continue;
    }
    if (column + gap_columns > left_columns) {
      text_ += "\n";
      column = 0;
    }
    text_ += std::string(left_columns - column, ' ') +
             broken(row.second, columns_, std::string(left_columns, ' '), left_columns) + "\n";
  }
}

// A shell goes on reading behind a backslash.
void help_page::command(const std::string& words) {
  std::size_t column = indent_columns;
  text_ += std::string(indent_columns, ' ');
  bool first = true;
  for (const std::string_view word : words_of(words)) {
    if (!first && column + 1 + word.size() + 2 > columns_) {
      text_ += " \\\n" + std::string(2 * indent_columns, ' ');
      column = 2 * indent_columns;
      first = true;
    }
    text_ += (first ? "" : " ") + std::string(word);
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
}

void help_page::examples(std::string_view title, const std::vector<help_row>& rows) {
  heading(title);
  std::size_t longest = 0, widest = 0;
  for (const help_row& row : rows) longest = std::max(longest, row.second.empty() ? 0 : row.first.size());
  for (const help_row& row : rows) {
    widest = std::max(widest, row.second.empty() ? row.first.size() : longest + gap_columns + row.second.size());
  }
  const bool beside = indent_columns + widest <= columns_;
  for (const help_row& row : rows) {
    if (!beside && !row.second.empty()) {
      const std::string margin = std::string(indent_columns, ' ') + "# ";
      text_ += margin + broken(row.second, columns_, margin, margin.size()) + "\n";
    }
    if (!beside) command(row.first);
    else text_ += std::string(indent_columns, ' ') + row.first;
    if (beside && !row.second.empty()) {
      text_ += std::string(longest + gap_columns - row.first.size(), ' ') + row.second;
    }
    text_ += "\n";
  }
}

std::size_t left_columns_of(const std::vector<help_row>& rows) {
  std::size_t longest = 0;
  for (const help_row& row : rows) {
    if (row.first.size() <= most_left) longest = std::max(longest, row.first.size());
  }
  return indent_columns + longest + gap_columns;
}

}  // namespace multifold::app
