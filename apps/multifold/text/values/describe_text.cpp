// Cells are made twice: for the widths of their columns, and to be printed.
#include "text/values/describe_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "text/values/shown_indices.hpp"
#include "text/values/summary_fields.hpp"
#include "text/values/value_text.hpp"

namespace multifold::app {
namespace {

using line = std::vector<std::string>;

std::string text_of(const summary_field& field, notation how) {
  if (field.value == nullptr) return "-";
  const bool bits = how == notation::hex && !field.counted;
  return bits ? hex_text(field.type, field.value) : value_text(field.type, field.value);
}

// Columns two spaces apart; the first one, and all of a `left` table, to the left.
class table {
 public:
  explicit table(bool left) : left_(left) {}

  void measure(const line& cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
  }

  // Of cells that have been measured.
  void print(const line& cells, text_output& out) {
    std::string row = first_ ? "" : "\n";
    first_ = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(widths_[i] - cells[i].size(), ' ');
      row += (i == 0 ? "" : "  ") + (left_ || i == 0 ? cells[i] + space : space + cells[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out << row;
  }

 private:
  bool left_, first_ = true;
  std::vector<std::size_t> widths_;
};

void print_one_batch(const reduce_result& result, notation how, text_output& out) {
  std::vector<line> lines;
  for (const summary_field& field : fields_of(result, 0)) {
    const std::string value = text_of(field, how);
    if (field.key == "argmin" || field.key == "argmax") {
      if (field.value != nullptr) lines.back().push_back("at " + value);
    } else if (field.counted) {
      lines.push_back({std::string(field.label), value});
    } else {
      lines.push_back({std::string(field.label), value, std::string(name(field.type))});
    }
  }
  table all(true);
  for (const line& cells : lines) all.measure(cells);
  for (const line& cells : lines) all.print(cells, out);
}

class batch_rows {
 public:
  batch_rows(const reduce_result& result, notation how, bool shortened)
      : result_(result), how_(how), strides_(c_strides(result.extents)), shortened_(shortened) {}

  void print(text_output& out) const {
    table all(false);
    for_each_line([&](const line& cells) { all.measure(cells); });
    for_each_line([&](const line& cells) { all.print(cells, out); });
  }

 private:
  template <class Take>
  void for_each_line(const Take& take) const {
    line labels{""}, types{""};
    for (const summary_field& field : fields_of(result_, 0)) {
      labels.emplace_back(field.label);
      types.emplace_back(field.counted ? "" : name(field.type));
    }
    take(labels);
    take(types);
    rows(0, 0, "", take);
  }

  template <class Take>
  void rows(std::size_t axis, std::int64_t at, const std::string& outer, const Take& take) const {
    if (axis == result_.extents.size()) return take(row(at, "[" + outer + "]"));
    for_shown(
        result_.extents[axis], shortened_,
        [&](std::int64_t i) {
          rows(axis + 1, at + i * strides_[axis], outer + (axis == 0 ? "" : ", ") + std::to_string(i), take);
        },
        [&] { take({"..."}); });
  }

  line row(std::int64_t index, const std::string& label) const {
    line cells{label};
    for (const summary_field& field : fields_of(result_, index)) cells.push_back(text_of(field, how_));
    return cells;
  }

  const reduce_result& result_;
  notation how_;
  std::vector<std::int64_t> strides_;
  bool shortened_;
};

}  // namespace

void print_description(const reduce_result& result, notation how, text_output& out, bool shortened) {
  if (result.extents.empty()) print_one_batch(result, how, out);
  else if (elements_of(result) == 0) out << "[]";
  else batch_rows(result, how, shortened && elements_of(result) > most_elements_shown).print(out);
}

}  // namespace multifold::app
