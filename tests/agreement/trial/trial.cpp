// What the members of a trial mean to the library.
#include "agreement/trial/trial.hpp"

#include <algorithm>
#include <cmath>

namespace multifold::agreement {
namespace {

bool has_strides(const trial& t, const std::vector<std::int64_t>& strides) {
  if (std::find(t.extents.begin(), t.extents.end(), 0) != t.extents.end()) return true;
  for (std::size_t i = 0; i < t.extents.size(); ++i) {
    if (t.extents[i] != 1 && t.strides[i] != strides[i]) return false;
  }
  return true;
}

}  // namespace

std::int64_t elements_of(const trial& t) {
  std::int64_t count = 1;
  for (const std::int64_t extent : t.extents) count *= extent;
  return count;
}

extent_in_memory reach_of(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
  std::int64_t below = 0, above = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t reach = (extents[i] - 1) * strides[i];
    (reach < 0 ? below : above) += reach;
  }
  return {above - below + 1, -below};
}

bool has_two_arrays(const trial& t) { return takes_two_arrays(t.op) || t.way == entry::weighted; }
const std::vector<std::int64_t>& second_strides(const trial& t) { return t.other ? *t.other : t.strides; }

bool is_source(origin where) { return where >= origin::raw; }

bool in_c_order(const trial& t) { return has_strides(t, c_strides(t.extents)); }
bool in_fortran_order(const trial& t) { return has_strides(t, fortran_strides(t.extents)); }

initial_value initial_of(const trial& t) {
  initial_value v;
  if (!t.initial) return v;
  v.given = true;
  v.real_value = *t.initial;
  if (!is_floating(t.type) && std::nearbyint(*t.initial) == *t.initial) {
    v.integer = true;
    v.integer_value = static_cast<int128_t>(*t.initial);
  }
  return v;
}

reduce_options options_of(const trial& t) {
  reduce_options o;
  if (t.axes) o.axes = *t.axes;
  o.keepdims = t.keepdims;
  o.result = t.result;
  o.nan = t.nan;
  o.initial = initial_of(t);
  o.correction = t.correction;
  o.wanted = t.wanted;
  o.engine = t.engine;
  o.threads = t.threads;
  o.memory_bytes = t.memory_bytes;
  o.way = t.sent;
  o.forced = t.forced;
  o.keep_state = t.state;
  return o;
}

}  // namespace multifold::agreement
