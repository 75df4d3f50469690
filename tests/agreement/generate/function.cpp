// Functions of the library beside reduce(), for arrays in host memory, and the options that they take.
#include <array>

#include "agreement/generate/steps.hpp"

namespace multifold::agreement {
namespace {

class function_maker {
 public:
  function_maker(chance& c, trial& t) : c_(c), t_(t) {}

  void choose() {
    const bool reduces = t_.way == entry::reduce && t_.engine == engine_choice::host && !t_.state;
    if (!reduces || !c_.percent(22)) return;
    if (is_source(t_.where)) return choose_fold();
    switch (c_.between(0, 5)) {
      case 0: return choose_fold();
      case 1: return choose_range();
      case 2: return choose_weighted();
      case 3: return choose_merge();
      case 4: return choose_complex();
      default: return choose_parts();
    }
  }

 private:
  // What is no option of most of them.
  void begin(entry way) {
    t_.way = way;
    t_.into = false;
    t_.forced = {};
    if (!takes_initial(t_.op)) t_.initial.reset();
    if (!takes_correction(t_.op) || t_.correction < 0) t_.correction = 0;
    if (t_.result && !result_dtype_allowed(t_.op, t_.type, *t_.result)) t_.result.reset();
  }

  void choose_fold() {
    t_.op = op_kind::mean;  // its dtypes are those of logsumexp
    begin(c_.percent(30) ? entry::logsumexp : entry::fold);
    t_.initial.reset();
    t_.result.reset();
    t_.wanted.reset();
    t_.nan = nan_policy::propagate;
  }

  void choose_range() {
    begin(entry::range);
    t_.axes.reset();
    t_.keepdims = false;
    t_.initial.reset();
    t_.result.reset();
    t_.wanted.reset();
    t_.nan = nan_policy::propagate;
    t_.threads = 1;
  }

  void choose_weighted() {
    if (!is_floating(t_.type)) return;
    t_.op = op_kind::mean;
    begin(entry::weighted);
    t_.initial.reset();
    t_.wanted.reset();
    t_.nan = nan_policy::propagate;
  }

  void choose_merge() {
    // Not of floating point, and a result that a product cannot have is forgotten.
    if (t_.op == op_kind::prod && (is_floating(t_.type) || is_floating(t_.result.value_or(t_.type)))) return;
    begin(entry::merge);
    t_.wanted.reset();
    t_.pieces = static_cast<int>(c_.percent(80) ? c_.between(1, 5) : c_.between(6, 20));
  }

  // The parts lie along one axis more. What is not finite has no rule in products.
  void choose_complex() {
    constexpr std::array some{op_kind::sum, op_kind::mean, op_kind::prod, op_kind::sumsq,        op_kind::norm2,
                              op_kind::any, op_kind::all,  op_kind::dot,  op_kind::count_nonzero};
    if (elements_of(t_) > 1 << 17) return;
    t_.op = c_.one_of(some);
    t_.type = c_.percent(50) ? dtype::f32 : dtype::f64;
    begin(entry::complex);
    t_.initial.reset();
    t_.wanted.reset();
    t_.nan = nan_policy::propagate;
    if (t_.result && !takes_truths(t_.op)) t_.result = c_.percent(50) ? dtype::f32 : dtype::f64;
    if (t_.op == op_kind::prod) t_.data.nan_in = t_.data.infinite_in = 0;
    t_.extents.push_back(2);
  }

  // Of all elements, by what has a meaning for parts.
  void choose_parts() {
    constexpr std::array some{op_kind::sum, op_kind::mean, op_kind::min,          op_kind::max,
                              op_kind::any, op_kind::all,  op_kind::count_nonzero};
    t_.op = c_.one_of(some);
    if (t_.op == op_kind::mean && !is_floating(t_.type)) t_.op = op_kind::sum;
    begin(entry::parts);
    t_.axes.reset();
    t_.keepdims = false;
    t_.wanted.reset();
    if (t_.op == op_kind::min || t_.op == op_kind::max) t_.nan = nan_policy::propagate;
    t_.pieces = static_cast<int>(c_.between(1, 6));
  }

  chance& c_;
  trial& t_;
};

}  // namespace

void choose_function(chance& c, trial& t) { function_maker(c, t).choose(); }

}  // namespace multifold::agreement
