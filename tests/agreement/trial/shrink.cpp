// Axes go first, then extents, strides, options and data.
#include "agreement/trial/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "agreement/trial/cuts.hpp"

namespace multifold::agreement {
namespace {

class steps {
 public:
  explicit steps(const trial& t) : t_(t), fortran_(is_source(t.where) && !in_c_order(t)) {}

  std::vector<trial> all() {
    for (std::size_t i = 0; i < t_.extents.size(); ++i) drop_axis(i);
    for (std::size_t i = 0; i < t_.extents.size(); ++i) {
      for (const std::int64_t extent : {std::int64_t{1}, t_.extents[i] / 2, t_.extents[i] * 7 / 8, t_.extents[i] - 1}) {
        if (extent >= 1 && extent < t_.extents[i]) with([&](trial& s) { set_extent(s, i, extent); });
      }
    }
    if (t_.cut) segments();
    if (t_.marked) marked();
    if (t_.keyed) groups_of();
    beside();
    strides();
    options();
    data();
    return std::move(found_);
  }

 private:
  template <class Change>
  void with(const Change& change) {
    trial s = t_;
    change(s);
    if (is_source(s.where)) s.strides = fortran_ ? fortran_strides(s.extents) : c_strides(s.extents);
    // A stream of unknown length is one long row.
    if (s.extents.size() != 1 || (s.axes && s.axes->size() != 1)) s.endless = false;
    if (s.way == entry::complex && (s.extents.empty() || s.extents.back() != 2)) return;
    const bool one_axis = s.axes ? s.axes->size() == 1 : s.extents.size() == 1;
    if (is_cut(s) && !one_axis) return;
    if (s.keyed && s.keyed->count == 0 && s.extents[cut_axis(s)] > 0) return;
    if (line_of(s) != line_of(t_)) found_.push_back(std::move(s));
  }

  static void set_extent(trial& s, std::size_t i, std::int64_t extent) {
    if (s.count && *s.count <= s.extents[i]) *s.count = std::min(*s.count, extent);
    s.extents[i] = extent;
  }

  void drop_axis(std::size_t i) {
    const bool parts = t_.way == entry::complex;  // along the last axis
    if ((parts && i + 1 == t_.extents.size()) || t_.way == entry::counted) return;
    with([&](trial& s) {
      const auto rank = static_cast<std::int64_t>(s.extents.size()) - (parts ? 1 : 0);
      const auto gone = static_cast<std::int64_t>(i);
      s.extents.erase(s.extents.begin() + gone);
      s.strides.erase(s.strides.begin() + gone);
      if (s.other) s.other->erase(s.other->begin() + gone);
      if (s.marked) {
        const std::uint64_t below = (std::uint64_t{1} << gone) - 1, repeats = s.marked->repeats;
        s.marked->repeats = (repeats & below) | (repeats >> 1 & ~below);
      }
      if (!s.axes) return;
      std::vector<std::int64_t> axes;
      for (std::int64_t axis : *s.axes) {
        if (axis < 0) axis += rank;
        if (axis != gone) axes.push_back(axis > gone ? axis - 1 : axis);
      }
      s.axes = axes;
    });
  }

  void segments() {
    with([](trial& s) { s.cut.reset(); });
    for (const std::int64_t count : {std::int64_t{1}, t_.cut->count / 2, t_.cut->count - 1}) {
      if (count >= 0 && count < t_.cut->count) with([&](trial& s) { s.cut->count = count; });
    }
    with([](trial& s) { s.cut->ranges = false; });
    with([](trial& s) { s.cut->narrow = false; });
    with([](trial& s) { s.cut->seed %= 4; });
  }

  void groups_of() {
    with([](trial& s) { s.keyed.reset(); });
    for (const std::int64_t count : {std::int64_t{1}, t_.keyed->count / 2, t_.keyed->count - 1}) {
      if (count >= 0 && count < t_.keyed->count) with([&](trial& s) { s.keyed->count = count; });
    }
    with([](trial& s) { s.keyed->kind = groups::order::ascending; });
    with([](trial& s) { s.keyed->narrow = false; });
    with([](trial& s) { s.keyed->seed %= 4; });
  }

  // Another operation may be the one that is wrong.
  void beside() {
    if (t_.beside.empty()) return;
    with([](trial& s) { s.beside.clear(); });
    for (std::size_t i = 0; i < t_.beside.size(); ++i) {
      with([&](trial& s) { s.op = s.beside[i], s.beside.clear(); });
      with([&](trial& s) { s.beside.erase(s.beside.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
  }

  void marked() {
    with([](trial& s) { s.marked.reset(); });
    with([](trial& s) { s.marked->repeats = 0; });
    with([](trial& s) { s.marked->percent = 100; });
    with([](trial& s) { s.marked->percent = 0; });
    with([](trial& s) { s.marked->lie = marks::layout::dense; });
    with([](trial& s) { s.marked->seed = 1; });
  }

  // Without gaps, flips and repeats, in the same order; then in C order.
  void strides() {
    with([](trial& s) { s.other.reset(); });
    with([](trial& s) { s.strides = c_strides(s.extents); });
    if (t_.other) with([](trial& s) { s.other = c_strides(s.extents); });
    with([](trial& s) {
      std::vector<std::size_t> order(s.extents.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return std::abs(s.strides[a]) < std::abs(s.strides[b]); });
      std::int64_t stride = 1;
      for (const std::size_t axis : order) {
        s.strides[axis] = stride;
        stride *= std::max<std::int64_t>(s.extents[axis], 1);
      }
    });
    for (std::size_t i = 0; i < t_.strides.size(); ++i) {
      if (t_.strides[i] < 0) with([&](trial& s) { s.strides[i] = -s.strides[i]; });
    }
    with([](trial& s) { s.shift = 0; });
    with([](trial& s) { s.shift /= 2; });
    with([](trial& s) { s.at_end = false; });
  }

  void options() {
    const trial usual;
    with([&](trial& s) { s.forced = {}; });
    with([&](trial& s) { s.forced.passes.reset(); });
    with([&](trial& s) { s.forced.parts.reset(); });
    with([&](trial& s) { s.forced.how.reset(); });
    with([&](trial& s) { s.forced.threads.reset(); });
    with([&](trial& s) { s.forced.form.reset(); });
    with([&](trial& s) { s.keepdims = false; });
    with([&](trial& s) { s.axes.reset(); });
    with([&](trial& s) { s.nan = nan_policy::propagate; });
    with([&](trial& s) { s.correction = 0; });
    with([&](trial& s) { s.initial.reset(); });
    with([&](trial& s) { s.result.reset(); });
    with([&](trial& s) { s.wanted.reset(); });
    with([&](trial& s) { s.threads = 1; });
    with([&](trial& s) { s.memory_bytes = 0; });
    with([&](trial& s) { s.into = false; });
    with([&](trial& s) { s.state = false; });
    with([&](trial& s) { s.pieces = 1; });
    if (t_.pieces > 3) with([&](trial& s) { s.pieces /= 2; });
    with([&](trial& s) { s.swapped = false; });
    with([&](trial& s) { s.endless = false; });
    with([&](trial& s) { s.sent = transfer::automatic; });
    if (t_.way != entry::reduce && t_.engine == engine_choice::host) with([&](trial& s) { s.way = entry::reduce; });
    if (is_source(t_.where)) with([&](trial& s) { s.where = origin::host; });
    if (t_.where == origin::pinned) with([&](trial& s) { s.where = origin::host; });
    if (t_.engine == engine_choice::both) with([&](trial& s) { s.engine = engine_choice::host; });
  }

  void data() {
    with([](trial& s) { s.data.nan_in = 0; });
    with([](trial& s) { s.data.infinite_in = 0; });
    with([](trial& s) { s.data.sign = 0; });
    with([](trial& s) { s.data.kind = family::ordinary; });
    with([](trial& s) { s.data.seed = 1; });
    if (t_.op == op_kind::std) with([](trial& s) { s.op = op_kind::var; });
    if (t_.op == op_kind::norm2) with([](trial& s) { s.op = op_kind::sumsq; });
    if (t_.op == op_kind::mean) with([](trial& s) { s.op = op_kind::sum; });
  }

  const trial& t_;
  bool fortran_;
  std::vector<trial> found_;
};

}  // namespace

std::vector<trial> simpler(const trial& t) { return steps(t).all(); }

trial shrunk(trial t, const std::function<bool(const trial&)>& fails, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::set<std::string> seen{line_of(t)};
  for (bool changed = true; changed;) {
    changed = false;
    for (const trial& s : simpler(t)) {
      if (std::chrono::steady_clock::now() > end) return t;
      if (!seen.insert(line_of(s)).second || !fails(s)) continue;
      t = s;
      changed = true;
      break;
    }
  }
  return t;
}

}  // namespace multifold::agreement
