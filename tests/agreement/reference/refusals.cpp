// The rules, in the words of reduce.hpp, plan.hpp and docs.
#include "agreement/reference/refusals.hpp"

#include <algorithm>
#include <cmath>

#include "agreement/reference/reference.hpp"
#include "agreement/trial/cuts.hpp"

namespace multifold::agreement {
namespace {

bool may_take_initial(op_kind op) {
  return op == op_kind::sum || op == op_kind::prod || op == op_kind::min || op == op_kind::max;
}

bool takes_freedom(op_kind op) {
  return op == op_kind::var || op == op_kind::std || op == op_kind::cov || op == op_kind::describe;
}

bool has_positions(op_kind op) { return op == op_kind::argmin || op == op_kind::argmax || op == op_kind::describe; }

// Of all operations of one read, one has to.
bool some(const trial& t, bool (*takes)(op_kind)) {
  return takes(t.op) || std::any_of(t.beside.begin(), t.beside.end(), takes);
}

// Whether the exact value of every result is an integer.
bool gives_integers(const trial& t) {
  if (t.op == op_kind::argmin || t.op == op_kind::argmax) return true;
  if (t.op == op_kind::any || t.op == op_kind::all || t.op == op_kind::count_nonzero) return true;
  return !is_floating(t.type) && t.op != op_kind::mean && t.op != op_kind::norm2 && !takes_freedom(t.op);
}

bool is_forced(const plan_options& o) { return o.passes || o.how || o.parts || o.threads || o.form; }

bool sums_reals(const trial& t) { return is_floating(t.type) && (t.op == op_kind::sum || t.op == op_kind::mean); }

// What is exact, without an initial value.
bool has_state(const trial& t) {
  if (t.initial || (sums_reals(t) && t.wanted == accuracy::fast)) return false;
  if (is_cut(t) && order_of(t.op) == element_order::indexed) return false;
  return t.op != op_kind::prod || !is_floating(t.result.value_or(t.type));
}

// All engines keep the state of one sum of floating point.
bool keeps_off_host(const trial& t) {
  const std::vector<bool> reduced = reduced_axes(t);
  std::int64_t results = 1;
  for (std::size_t i = 0; i < reduced.size(); ++i) results *= reduced[i] ? 1 : t.extents[i];
  return sums_reals(t) && results == 1 && !is_cut(t);
}

}  // namespace

std::string must_be_refused(const trial& t) {
  if (t.result && !is_floating(*t.result) && !gives_integers(t)) return "a real number as an integer";
  if (t.initial && !some(t, may_take_initial)) return "an initial value";
  if (t.correction != 0 && (!some(t, takes_freedom) || t.correction < 0)) return "a correction";
  const bool real_result = is_floating(t.type) || (t.result && is_floating(*t.result));
  if (t.wanted == accuracy::exact && t.op == op_kind::prod && real_result) return "an exact product";
  const bool fraction = t.correction != std::floor(t.correction);
  const bool by_plan =
      t.way == entry::interpret || t.way == entry::async || t.way == entry::counted || t.way == entry::graph;
  if (by_plan && fraction) return "a correction of a plan that is no integer";
  if (t.way != entry::reduce) return "";
  if (is_cut(t) && t.keepdims) return "segments that keep the axis";
  if (is_cut(t) && is_forced(t.forced)) return "a forced plan of segments";
  if (is_cut(t) && t.endless) return "segments of a stream of unknown length";
  if (is_cut(t) && t.engine == engine_choice::both) return "segments that two engines share";
  if (t.state && !has_state(t)) return "a state";
  if (t.marked && (t.engine != engine_choice::host || t.where != origin::host))
    return "marks elsewhere than on the CPU";
  if (t.marked && (is_cut(t) || t.state || takes_two_arrays(t.op)))
    return "marks beside segments, a state, another array";
  if (!t.beside.empty() && (t.into || t.state || is_forced(t.forced))) return "several operations with what is for one";
  const bool off_host =
      t.where == origin::device || t.engine == engine_choice::device || t.engine == engine_choice::both;
  if (fraction && off_host) return "a correction that is no integer off the host engine";
  if (t.state && off_host && !keeps_off_host(t)) return "a state that the host engine keeps";
  if (t.where == origin::device && (t.engine == engine_choice::host || t.engine == engine_choice::both)) {
    return "device memory on the host engine";
  }
  // There is nothing to share of nothing, if it is known before.
  if (t.engine == engine_choice::both && (t.endless || element_count(t.extents) > 0)) {
    if (is_rounded_on_the_way(t)) return "a rounded sum that two engines share";
    if (t.where == origin::pipe) return "a pipe that two engines share";
  }
  return "";
}

std::string may_be_refused(const trial& t) {
  if (is_forced(t.forced)) return "a forced plan";
  if (t.cut && t.cut->ranges && t.where == origin::pipe) return "segments of a pipe that do not ascend";
  if (is_cut(t) && t.other) return "segments of two arrays that lie otherwise";
  const bool dense = t.extents.size() == 1 && (t.extents[0] <= 1 || t.strides[0] == 1);
  const bool ranges = t.cut && t.cut->ranges;
  if (is_cut(t) && t.engine == engine_choice::device && (ranges || !dense)) return "such segments on a GPU";
  const bool direct = t.sent == transfer::copy || t.sent == transfer::mapped;
  if (direct) return "a transfer out of memory that is not pinned, or of an array that has to be gathered";
  const bool forwards = t.extents.empty() || t.extents[0] <= 1 || t.strides[0] == 1;
  if (t.way == entry::counted && !forwards) return "a count of elements that are no neighbours";
  const bool sent = t.engine == engine_choice::device || t.engine == engine_choice::both;
  if (sent && is_source(t.where) && !in_c_order(t) && some(t, has_positions))
    return "positions in a source in Fortran order on a GPU";
  return "";
}

}  // namespace multifold::agreement
