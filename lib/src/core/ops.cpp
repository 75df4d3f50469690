// Names and dtype rules of the built-in operations.
#include "multifold/ops.hpp"

#include <array>

namespace multifold {
namespace {

struct op_text {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<op_text, 18> table{
    {{"sum", "sum of the elements"},
     {"prod", "product of the elements"},
     {"min", "least element"},
     {"max", "greatest element"},
     {"argmin", "index of the first least element"},
     {"argmax", "index of the first greatest element"},
     {"mean", "arithmetic mean"},
     {"norm1", "sum of the magnitudes (1-norm)"},
     {"sumsq", "sum of the squares"},
     {"norm2", "square root of the sum of the squares (2-norm)"},
     {"var", "variance: mean squared deviation from the mean"},
     {"std", "standard deviation: square root of the variance"},
     {"dot", "sum of the products of the elements of two arrays"},
     {"cov", "covariance: mean product of the deviations of two arrays from their means"},
     {"describe", "counts, sum, mean, deviation, norm and extremes, all from one read"},
     {"any", "logical or of the elements: whether any is not zero"},
     {"all", "logical and of the elements: whether none is zero"},
     {"count_nonzero", "number of elements that are not zero"}}};

constexpr std::array<std::string_view, 2> accuracy_names{"exact", "fast"};

// Whether integers, too, give a real number.
bool is_real(op_kind op) { return op == op_kind::mean || op == op_kind::norm2 || takes_correction(op); }

// Whether the value before its last rounding is an integer (possibly over a count).
bool integral(op_kind op, dtype input) {
  if (op == op_kind::argmin || op == op_kind::argmax || takes_truths(op)) return true;
  return !is_floating(input) && !is_real(op);
}

}  // namespace

std::string_view name(accuracy kind) noexcept { return accuracy_names[static_cast<std::size_t>(kind)]; }
std::string_view name(op_kind op) noexcept { return table[static_cast<std::size_t>(op)].name; }
std::string_view description(op_kind op) noexcept { return table[static_cast<std::size_t>(op)].description; }

std::optional<op_kind> parse_op(std::string_view text) noexcept {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (text == table[i].name) return static_cast<op_kind>(i);
  }
  return std::nullopt;
}

dtype default_result_dtype(op_kind op, dtype input) noexcept {
  switch (op) {
    case op_kind::min:
    case op_kind::max: return input;
    case op_kind::argmin:
    case op_kind::argmax:
    case op_kind::count_nonzero: return dtype::i64;
    case op_kind::any:
    case op_kind::all: return dtype::boolean;
    case op_kind::sum:
    case op_kind::prod:
    case op_kind::mean:
    case op_kind::norm1:
    case op_kind::sumsq:
    case op_kind::norm2:
    case op_kind::var:
    case op_kind::std:
    case op_kind::dot:
    case op_kind::cov:
    case op_kind::describe: break;
  }
  if (is_floating(input)) return input;
  if (is_real(op)) return dtype::f64;
  return is_unsigned(input) ? dtype::u64 : dtype::i64;
}

bool result_dtype_allowed(op_kind op, dtype input, dtype result) noexcept {
  return is_floating(result) || integral(op, input);
}

}  // namespace multifold
