// Nested rows: columns aligned, lines broken at 80 characters, long axes cut short.
#include "text/values/array_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "text/values/shown_indices.hpp"
#include "text/values/value_text.hpp"

namespace multifold::app {
namespace {

constexpr std::size_t line_columns = 80;

class nested_rows {
 public:
  nested_rows(const reduce_result& result, notation how, text_output& out)
      : result_(result), how_(how), out_(out), strides_(c_strides(result.extents)) {
    summarised_ = elements_of(result) > most_elements_shown;
    measure(0, 0);
  }

  void print() { rows(0, 0); }

 private:
  bool is_row(std::size_t axis) const { return axis + 1 == result_.extents.size(); }

  std::string element(std::int64_t at) const {
    const std::byte* bytes = result_.data.data() + at * item_bytes(result_.type);
    return how_ == notation::hex ? hex_text(result_.type, bytes) : value_text(result_.type, bytes);
  }

  void measure(std::size_t axis, std::int64_t at) {
    for_shown(
        result_.extents[axis], summarised_,
        [&](std::int64_t i) {
          const std::int64_t there = at + i * strides_[axis];
          if (is_row(axis)) width_ = std::max(width_, element(there).size());
          else measure(axis + 1, there);
        },
        [] {});
  }

  void rows(std::size_t axis, std::int64_t at) {
    if (is_row(axis)) return row(axis, at);
    out_ << "[";
    bool first = true;
    const auto next_row = [&] {
      // One line more for every axis beyond the row, as NumPy does.
      if (!first) out_ << std::string(result_.extents.size() - 1 - axis, '\n') + std::string(axis + 1, ' ');
      first = false;
    };
    for_shown(
        result_.extents[axis], summarised_,
        [&](std::int64_t i) {
          next_row();
          rows(axis + 1, at + i * strides_[axis]);
        },
        [&] {
          next_row();
          out_ << "...";
        });
    out_ << "]";
  }

  void row(std::size_t axis, std::int64_t at) {
    out_ << "[";
    const std::size_t indent = axis + 1;
    std::size_t column = indent;
    const auto append = [&](const std::string& item) {
      if (column > indent && column + 1 + item.size() >= line_columns) {
        out_ << '\n' + std::string(indent, ' ');
        column = indent;
      } else if (column > indent) {
        out_ << " ";
        ++column;
      }
      out_ << item;
      column += item.size();
    };
    for_shown(
        result_.extents[axis], summarised_,
        [&](std::int64_t i) {
          const std::string item = element(at + i * strides_[axis]);
          append(std::string(width_ - item.size(), ' ') + item);
        },
        [&] { append("..."); });
    out_ << "]";
  }

  const reduce_result& result_;
  notation how_;
  text_output& out_;
  std::vector<std::int64_t> strides_;
  bool summarised_ = false;
  std::size_t width_ = 0;
};

}  // namespace

std::int64_t elements_of(const reduce_result& result) { return element_count(result.extents); }

void print_lines(const reduce_result& result, notation how, text_output& out) {
  const std::int64_t count = elements_of(result), item = item_bytes(result.type);
  const std::size_t rank = result.extents.size();
  const std::int64_t row = rank < 2 ? 1 : result.extents[rank - 1];
  const std::int64_t matrix = rank < 3 ? 0 : row * result.extents[rank - 2];
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) out << (i % row != 0 ? " " : matrix > 0 && i % matrix == 0 ? "\n\n" : "\n");
    const std::byte* const value = result.data.data() + i * item;
    out << (how == notation::hex ? hex_text(result.type, value) : value_text(result.type, value));
  }
  if (count > 0) out << "\n";
}

void print_array(const reduce_result& result, notation how, text_output& out) {
  if (result.extents.empty()) {
    const std::byte* value = result.data.data();
    out << (how == notation::hex ? hex_text(result.type, value) : value_text(result.type, value));
  } else if (elements_of(result) == 0) {
    out << "[]";
  } else {
    nested_rows(result, how, out).print();
  }
}

}  // namespace multifold::app
