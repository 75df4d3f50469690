// Slices start behind the kept loops that are slower than every reduced one.
#include "stream/host/slices.hpp"

namespace multifold::inline v0_1::stream {

slices slices_of(const batches& form) {
  slices s;
  s.nest = host::nest_of(form);
  bool inside = false;
  for (std::size_t i = 0; i < s.nest.loops.size(); ++i) {
    const host::nest_loop& loop = s.nest.loops[i];
    inside = inside || loop.reduced;
    (inside ? s.elements : s.count) *= loop.extent;
    if (!inside || loop.reduced) continue;
    s.results *= loop.extent;
    s.kept.push_back(static_cast<int>(i));
  }
  return s;
}

slices endless_slice() {
  slices s;
  s.nest.length = s.elements = INT64_MAX;
  s.nest.loops = {{INT64_MAX, 1, 0, 0, 1, true}};
  s.nest.reduced = s.nest.all = {0};
  return s;
}

slices open_slice(const batches& form) {
  slices s = slices_of(form);
  if (s.count > 1) s.part = s.elements;
  s.count = 1;
  s.elements = INT64_MAX;
  s.results = s.nest.results;
  s.kept = s.nest.kept;
  return s;
}

}  // namespace multifold::inline v0_1::stream
