// States of parts, which meet in some order, through their bytes now and then, and are finished.
#include "agreement/run/states.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "agreement/generate/chance.hpp"
#include "agreement/run/attempt.hpp"
#include "agreement/trial/cuts.hpp"
#include "agreement/worker.hpp"
#include "multifold/by_key.hpp"
#include "multifold/reduce.hpp"
#include "multifold/segments.hpp"
#include "multifold/state.hpp"

namespace multifold::agreement {
namespace {

// An operation whose states are the same.
op_kind sibling_of(op_kind op, nan_policy nan) {
  switch (op) {
    case op_kind::sum: return op_kind::mean;
    case op_kind::mean: return op_kind::sum;
    case op_kind::sumsq: return op_kind::norm2;
    case op_kind::norm2: return op_kind::sumsq;
    case op_kind::var: return op_kind::std;
    case op_kind::std: return op_kind::var;
    case op_kind::any: return op_kind::count_nonzero;
    case op_kind::count_nonzero: return op_kind::any;
    case op_kind::all: return nan == nan_policy::propagate ? op_kind::any : op;
    case op_kind::prod:
    case op_kind::min:
    case op_kind::max:
    case op_kind::argmin:
    case op_kind::argmax:
    case op_kind::norm1:
    case op_kind::dot:
    case op_kind::cov:
    case op_kind::describe: break;
  }
  return op;
}

// The whole, cut along one reduced axis.
class cutter {
 public:
  cutter(const trial& t, const laid_out& arrays, chance& c) : t_(t), arrays_(arrays), c_(c) {
    const std::vector<bool> reduced = reduced_axes(t);
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      if (reduced[i] && t.extents[i] != 1) axes.push_back(i);
    }
    if (axes.empty()) return;
    // Indices count along the slowest one.
    axis_ = order_of(t.op) == element_order::indexed ? axes.front() : axes[c.bits() % axes.size()];
    for (std::size_t i = *axis_ + 1; i < reduced.size(); ++i) step_ *= reduced[i] ? t.extents[i] : 1;
  }

  std::vector<state> parts() {
    if (!axis_) return {whole()};
    const std::int64_t extent = t_.extents[*axis_];
    std::vector<std::int64_t> ends{0, extent};
    for (int i = 1; i < t_.pieces; ++i) ends.push_back(c_.between(0, extent));
    std::sort(ends.begin(), ends.end());
    std::vector<state> all;
    for (std::size_t i = 1; i < ends.size(); ++i) all.push_back(part(ends[i - 1], ends[i] - ends[i - 1]));
    return all;
  }
  state whole() const { return made(t_.op, t_.extents, 0, 0); }

 private:
  state part(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> extents = t_.extents;
    extents[*axis_] = count;
    const op_kind op = c_.percent(30) ? sibling_of(t_.op, t_.nan) : t_.op;
    state one = made(op, extents, first * t_.strides[*axis_], first * second_strides(t_)[*axis_]);
    one.move(first * step_);
    return one;
  }
  state made(op_kind op, const std::vector<std::int64_t>& extents, std::int64_t x, std::int64_t y) const {
    reduce_options options;
    if (t_.axes) options.axes = *t_.axes;
    options.nan = t_.nan;
    options.threads = t_.threads;
    options.engine = t_.engine;
    const auto view = [&](const std::byte* first, std::int64_t from, const std::vector<std::int64_t>& strides) {
      return array_view{first + from * item_bytes(t_.type), t_.type, extents, strides};
    };
    const array_view first = view(arrays_.x, x, t_.strides);
    if (!takes_two_arrays(op)) return reduce_to_state(op, first, options);
    return reduce_to_state(op, first, view(arrays_.y, y, second_strides(t_)), options);
  }

  const trial& t_;
  const laid_out& arrays_;
  chance& c_;
  std::optional<std::size_t> axis_;
  std::int64_t step_ = 1;  // indices between neighbours along it
};

// Segments and groups: of the first elements of each segment, and of the others; or of the first rows, and of the others.
class halver {
 public:
  halver(const trial& t, const laid_out& arrays, chance& c) : t_(t), arrays_(arrays), c_(c), axis_(cut_axis(t)) {}

  std::vector<state> parts() { return t_.cut ? of_segments() : of_rows(); }

 private:
  std::vector<state> of_segments() {
    std::vector<std::int64_t> begins, middles, ends;
    for (const auto& [begin, end] : segments_of(t_)) {
      begins.push_back(begin);
      middles.push_back(c_.between(begin, end));
      ends.push_back(end);
    }
    const auto list = [](const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
      const auto count = static_cast<std::int64_t>(from.size());
      return segments::from_ranges(make_view(from.data(), {count}), make_view(to.data(), {count}));
    };
    return {of_all(list(begins, middles)), of_all(list(middles, ends))};
  }
  state of_all(const segments& list) const {
    const array_view x = rows(arrays_.x, t_.strides, 0, t_.extents[axis_]);
    if (!takes_two_arrays(t_.op)) return state(reduce(t_.op, x, list, options()).state);
    const array_view y = rows(arrays_.y, second_strides(t_), 0, t_.extents[axis_]);
    return state(reduce(t_.op, x, y, list, options()).state);
  }

  std::vector<state> of_rows() {
    const std::int64_t extent = t_.extents[axis_], cut = c_.between(0, extent);
    const std::vector<std::int64_t> keys = keys_of(t_);
    const auto part = [&](std::int64_t first, std::int64_t last) {
      const array_view own = make_view(keys.data() + first, {last - first});
      const array_view x = rows(arrays_.x, t_.strides, first, last);
      if (!takes_two_arrays(t_.op)) return state(reduce_by_key(t_.op, x, own, t_.keyed->count, options()).state);
      const array_view y = rows(arrays_.y, second_strides(t_), first, last);
      return state(reduce_by_key(t_.op, x, y, own, t_.keyed->count, options()).state);
    };
    return {part(0, cut), part(cut, extent)};
  }

  array_view rows(const std::byte* data, const std::vector<std::int64_t>& strides, std::int64_t first,
                  std::int64_t last) const {
    std::vector<std::int64_t> extents = t_.extents;
    extents[axis_] = last - first;
    return {data + first * strides[axis_] * item_bytes(t_.type), t_.type, extents, strides};
  }
  reduce_options options() const {
    reduce_options o;
    o.axes = {static_cast<std::int64_t>(axis_)};
    o.nan = t_.nan;
    o.threads = t_.threads;
    o.engine = t_.engine;
    o.keep_state = o.only_state = true;
    return o;
  }

  const trial& t_;
  const laid_out& arrays_;
  chance& c_;
  const std::size_t axis_;
};

// Any two at a time.
state merged(std::vector<state> parts, chance& c) {
  while (parts.size() > 1) {
    c.shuffle(parts);
    const state last = std::move(parts.back());
    parts.pop_back();
    state& into = parts.back();
    if (c.percent(20)) into = state(merge_states(into.bytes(), last.bytes()));
    else into.merge(c.percent(30) ? state(last.bytes()) : last);
  }
  return std::move(parts.front());
}

}  // namespace

outcome run_merged(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    chance c(t.data.seed, static_cast<std::uint64_t>(t.pieces));
    cutter of(t, arrays, c);
    const state whole = of.whole();
    std::vector<state> parts = of.parts();
    if (c.percent(30)) parts.emplace_back(t.op, t.type, whole.extents(), t.nan);
    const state all = merged(std::move(parts), c);
    if (all.bytes() != whole.bytes()) got.damage = "the states of parts merge to another one than that of the whole";
    finish_options end;
    end.result = t.result;
    end.correction = t.correction;
    end.initial = initial_of(t);
    if (t.keepdims) end.keep_axes = t.axes ? *t.axes : all_axes(static_cast<std::int64_t>(t.extents.size()));
    reduce_result r = all.finish(t.op, end);
    got.extents = std::move(r.extents);
    got.type = r.type;
    got.bytes = std::move(r.data);
  });
}

std::string state_damage(const trial& t, const laid_out& arrays, const reduce_result& whole) {
  const state kept(whole.state);
  finish_options end;
  end.result = whole.type;
  end.correction = t.correction;
  if (!whole.data.empty() && kept.finish(t.op, end).data != whole.data) return "the state finishes as something else";
  if (is_source(t.where) || t.where == origin::device) return "";
  chance c(t.data.seed, 0);
  trial halves = t;
  halves.pieces = 2;
  const state all = merged(is_cut(t) ? halver(t, arrays, c).parts() : cutter(halves, arrays, c).parts(), c);
  return all.bytes() == whole.state ? "" : "the states of two parts merge to another state";
}

}  // namespace multifold::agreement
