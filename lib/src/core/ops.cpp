// Names and dtype rules of the built-in operations.
#include "multifold/ops.hpp"

#include <array>

namespace multifold::inline v0_1 {
namespace {

struct op_text {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<op_text, 18> op_texts{
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

// Whether the value before its last rounding is an integer (possibly over a count).
bool integral(op_kind op, dtype input) {
  if (op == op_kind::argmin || op == op_kind::argmax || takes_truths(op)) return true;
  return !is_floating(input) && !gives_real(op);
}

}  // namespace

std::string_view name(accuracy kind) noexcept { return accuracy_names[static_cast<std::size_t>(kind)]; }
std::string_view name(op_kind op) noexcept { return op_texts[static_cast<std::size_t>(op)].name; }
std::string_view description(op_kind op) noexcept { return op_texts[static_cast<std::size_t>(op)].description; }

std::optional<op_kind> parse_op(std::string_view text) noexcept {
  for (std::size_t i = 0; i < op_texts.size(); ++i) {
    if (text == op_texts[i].name) return static_cast<op_kind>(i);
  }
  return std::nullopt;
}

bool result_dtype_allowed(op_kind op, dtype input, dtype result) noexcept {
  return is_floating(result) || integral(op, input);
}

}  // namespace multifold::inline v0_1
