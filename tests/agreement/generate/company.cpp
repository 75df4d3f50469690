// Segments, groups, marks, and what is asked for beside.
#include <algorithm>
#include <array>

#include "agreement/generate/steps.hpp"

namespace multifold::agreement {
namespace {

class company_maker {
 public:
  company_maker(chance& c, trial& t) : c_(c), t_(t) {}

  void choose() {
    if (t_.way != entry::reduce) return;
    if (!t_.extents.empty() && c_.percent(18)) {
      if (c_.percent(60)) choose_segments();
      else choose_groups();
    }
    if (!is_cut() && c_.percent(10)) choose_marks();
    if (!is_cut() && c_.percent(10)) choose_beside();
  }

 private:
  bool is_cut() const { return t_.cut || t_.keyed; }

  // The axis that has segments or groups; -1 where they are not served.
  std::int64_t choose_axis() {
    if (t_.engine == engine_choice::both || t_.engine == engine_choice::automatic) return -1;
    const auto rank = static_cast<std::int64_t>(t_.extents.size());
    if (t_.engine == engine_choice::device && (rank != 1 || is_source(t_.where))) return -1;
    std::int64_t axis = c_.between(0, rank - 1);
    if (c_.percent(60)) axis = std::max_element(t_.extents.begin(), t_.extents.end()) - t_.extents.begin();
    if (rank > 1 || c_.percent(50)) t_.axes = {c_.percent(30) ? axis - rank : axis};
    else t_.axes.reset();
    t_.keepdims = c_.percent(1);
    if (!c_.percent(1)) t_.forced = {};
    t_.endless = false;
    t_.state = c_.percent(t_.engine == engine_choice::host ? 15 : 1);
    return axis;
  }

  // Results of each segment or group, which an axis without elements has, too.
  std::int64_t beside(std::int64_t axis) const {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < t_.extents.size(); ++i)
      count *= static_cast<std::int64_t>(i) == axis ? 1 : t_.extents[i];
    return count;
  }

  // On the CPU any there are, on the GPU those by offsets of neighbours.
  void choose_segments() {
    const std::int64_t axis = choose_axis();
    if (axis < 0) return;
    const bool ranges = t_.engine != engine_choice::device && c_.percent(30);
    // Segments that overlap are more work than there are elements.
    std::int64_t most = c_.percent(60) ? 12 : c_.percent(70) ? 300 : 20'000;
    if (ranges) most = std::min(most, (std::int64_t{1} << 22) / std::max<std::int64_t>(elements_of(t_), 1));
    most = std::min(most, (std::int64_t{1} << 18) / std::max<std::int64_t>(beside(axis), 1));
    t_.cut = {ranges, c_.percent(50), c_.between(0, std::max<std::int64_t>(most, 1)), c_.bits() % 100000};
  }

  // Few, as many as there are elements, or more.
  void choose_groups() {
    const std::int64_t axis = choose_axis();
    if (axis < 0) return;
    const std::int64_t extent = t_.extents[static_cast<std::size_t>(axis)];
    std::int64_t most = c_.percent(60) ? 12 : c_.percent(50) ? extent : c_.percent(70) ? 300 : 20'000;
    most = std::min(most, (std::int64_t{1} << 18) / std::max<std::int64_t>(beside(axis), 1));
    const std::int64_t count = c_.between(extent > 0 ? 1 : 0, std::max<std::int64_t>(most, 1));
    t_.keyed = {static_cast<groups::order>(c_.between(0, 2)), c_.percent(50), count, c_.bits() % 100000};
  }

  // In host memory and on the CPU; seldom where they are refused.
  void choose_marks() {
    if (takes_two_arrays(t_.op) || t_.state) return;
    const bool served = t_.engine == engine_choice::host && t_.where == origin::host;
    if (!served && !c_.percent(2)) return;
    const auto percent = static_cast<int>(c_.percent(30) ? 100 * c_.between(0, 1) : c_.between(0, 100));
    const auto lie = c_.percent(40) ? marks::layout::dense : static_cast<marks::layout>(c_.between(0, 3));
    t_.marked = {percent, c_.percent(50) ? 0 : c_.bits() % 32, lie, c_.bits() % 100000};
  }

  // Up to five operations, which may be named more than once.
  void choose_beside() {
    const bool served = t_.engine != engine_choice::both && is_plain(t_) &&
                        (t_.engine == engine_choice::host || t_.where != origin::pipe);
    if (!served || t_.state) return;
    const bool two = takes_two_arrays(t_.op);
    const auto last = static_cast<std::int64_t>(op_kind::count_nonzero);
    for (std::int64_t wanted = c_.between(1, 4); wanted > 0; --wanted) {
      const auto op = static_cast<op_kind>(c_.between(0, last));
      const bool rounded = op == op_kind::prod && t_.wanted == accuracy::exact;
      const bool fits = !t_.result || result_dtype_allowed(op, t_.type, *t_.result);
      if (takes_two_arrays(op) == two && fits && !rounded) t_.beside.push_back(op);
    }
    if (t_.beside.empty()) return;
    t_.into = false;
    if (!c_.percent(1)) t_.forced = {};
  }

  chance& c_;
  trial& t_;
};

}  // namespace

void choose_company(chance& c, trial& t) { company_maker(c, t).choose(); }

}  // namespace multifold::agreement
