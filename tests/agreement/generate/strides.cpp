// The axes from the fastest to the slowest in memory, each behind the one before, with gaps, flips and repeats.#include <algorithm>
#include <numeric>
#include <vector>

#include "agreement/generate/steps.hpp"

namespace multifold::agreement {
namespace {

class stride_maker {
 public:
  stride_maker(chance& c, const limits& most, trial& t) : c_(c), most_(most), t_(t) {}

  void choose() {
    if (is_source(t_.where)) return choose_order_of_source();
    t_.strides = strides(6);
    if (!has_two_arrays(t_)) return;
    const bool apart = t_.engine == engine_choice::host && t_.where == origin::host && t_.way != entry::interpret;
    if (t_.way == entry::weighted) t_.other = strides(c_.percent(50) ? 50 : 6);
    else if (apart && c_.percent(t_.cut || t_.keyed ? 5 : 40)) t_.other = strides(6);
  }

 private:
  // From the fastest to the slowest.
  std::vector<std::size_t> axes() {
    std::vector<std::size_t> order(t_.extents.size());
    std::iota(order.begin(), order.end(), 0);
    if (!c_.percent(35)) {
      if (c_.percent(30) || is_source(t_.where)) std::reverse(order.begin(), order.end());
      else c_.shuffle(order);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  void choose_order_of_source() {
    const std::vector<std::size_t> order = axes();
    const bool rows = order.empty() || order.front() + 1 == order.size() || t_.where == origin::raw;
    t_.strides = rows ? c_strides(t_.extents) : fortran_strides(t_.extents);
  }

  std::vector<std::int64_t> strides(int repeated) {
    std::vector<std::int64_t> made(t_.extents.size(), 0);
    const bool dense =
        c_.percent(40) || (t_.engine != engine_choice::host && t_.where != origin::device && c_.percent(85));
    std::int64_t stride = 1;
    for (const std::size_t axis : axes()) {
      const std::int64_t extent = std::max<std::int64_t>(t_.extents[axis], 1);
      if ((!dense || repeated > 6) && c_.percent(repeated)) continue;
      std::int64_t step = dense || !c_.percent(10) ? 1 : c_.between(2, 3);
      if (!dense && c_.percent(12)) stride += c_.between(1, 9);
      if (stride > most_.most_bytes / (item_bytes(t_.type) * step * extent)) continue;  // no room: repeated, too
      made[axis] = step * stride * (!dense && c_.percent(12) ? -1 : 1);
      stride *= step * extent;
    }
    return made;
  }

  chance& c_;
  const limits& most_;
  trial& t_;
};

}  // namespace

void choose_strides(chance& c, const limits& most, trial& t) { stride_maker(c, most, t).choose(); }

}  // namespace multifold::agreement
