// Cells first, then their widths, then lines.
#include "describe_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "shown_indices.hpp"
#include "summary_fields.hpp"
#include "value_text.hpp"

namespace multifold::app {
namespace {

using line = std::vector<std::string>;

std::string text_of(const summary_field& field, notation how) {
  if (field.value == nullptr) return "-";
  const bool bits = how == notation::hex && !field.counted;
  return bits ? hex_text(field.type, field.value) : value_text(field.type, field.value);
}

// Columns two spaces apart; the first one, and all of a `left` table, to the left.
std::string aligned(const std::vector<line>& lines, bool left) {
  std::vector<std::size_t> widths;
  for (const line& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const line& cells : lines) {
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(widths[i] - cells[i].size(), ' ');
      row += (i == 0 ? "" : "  ") + (left || i == 0 ? cells[i] + space : space + cells[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += (text.empty() ? "" : "\n") + row;
  }
  return text;
}

std::string one_batch(const reduce_result& result, notation how) {
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
  return aligned(lines, true);
}

class batch_rows {
 public:
  batch_rows(const reduce_result& result, notation how)
      : result_(result),
        how_(how),
        strides_(c_strides(result.extents)),
        shortened_(elements_of(result) > most_elements_shown) {}

  std::string text() {
    heading();
    rows(0, 0, "");
    return aligned(lines_, false);
  }

 private:
  void heading() {
    line labels{""}, types{""};
    for (const summary_field& field : fields_of(result_, 0)) {
      labels.emplace_back(field.label);
      types.emplace_back(field.counted ? "" : name(field.type));
    }
    lines_ = {std::move(labels), std::move(types)};
  }

  void rows(std::size_t axis, std::int64_t at, const std::string& outer) {
    if (axis == result_.extents.size()) return row(at, "[" + outer + "]");
    for_shown(
        result_.extents[axis], shortened_,
        [&](std::int64_t i) {
          rows(axis + 1, at + i * strides_[axis], outer + (axis == 0 ? "" : ", ") + std::to_string(i));
        },
        [&] { lines_.push_back({"..."}); });
  }

  void row(std::int64_t index, const std::string& label) {
    line cells{label};
    for (const summary_field& field : fields_of(result_, index)) cells.push_back(text_of(field, how_));
    lines_.push_back(std::move(cells));
  }

  const reduce_result& result_;
  notation how_;
  std::vector<std::int64_t> strides_;
  bool shortened_;
  std::vector<line> lines_;
};

}  // namespace

std::string describe_text(const reduce_result& result, notation how) {
  if (result.extents.empty()) return one_batch(result, how);
  return elements_of(result) == 0 ? "[]" : batch_rows(result, how).text();
}

}  // namespace multifold::app
