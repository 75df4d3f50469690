// Runs of memory, as long as the box has them.
#include "stream/box_reader.hpp"

#include <span>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::stream {
namespace {

std::int64_t extent_of(const host::box& b, std::size_t loop) { return b[loop].end - b[loop].begin; }

void read_run(source& input, std::int64_t first, std::byte* into, std::int64_t count, std::int64_t item) {
  const std::int64_t got = input.read(first, std::span(into, static_cast<std::size_t>(count * item)));
  if (got == count) return;
  throw format_error(input.name() + ": ends after " + std::to_string(first + got) + " elements; expected " +
                     std::to_string(element_count(input.layout().extents)));
}

}  // namespace

std::int64_t volume_of(const host::nest& n, const host::box& b) {
  std::int64_t volume = 1;
  for (std::size_t i = 0; i < n.loops.size(); ++i) volume *= extent_of(b, i);
  return volume;
}

host::nest nest_of_box(const host::nest& n, const host::box& b) {
  host::nest made = n;
  made.offset = 0;
  std::int64_t stride = 1;
  for (std::size_t i = n.loops.size(); i-- > 0;) {
    made.loops[i].stride = stride;
    made.offset -= b[i].begin * stride;
    stride *= extent_of(b, i);
  }
  return made;
}

void read_box(const inputs& from, const host::nest& n, const host::box& b, std::byte* into, std::ptrdiff_t other) {
  const std::int64_t item = item_bytes(from.x.layout().type);
  // The loops [outer, end) are one run.
  std::size_t outer = n.loops.size();
  std::int64_t run = 1;
  while (outer > 0 && n.loops[outer - 1].stride == run) run *= extent_of(b, --outer);
  std::int64_t first = n.offset;
  for (std::size_t i = 0; i < n.loops.size(); ++i) first += b[i].begin * n.loops[i].stride;
  const auto walk = [&](const auto& self, std::size_t depth, std::int64_t at) -> void {
    if (depth < outer) {
      for (std::int64_t i = 0; i < extent_of(b, depth); ++i) self(self, depth + 1, at + i * n.loops[depth].stride);
      return;
    }
    read_run(from.x, at, into, run, item);
    if (from.y != nullptr) read_run(*from.y, at, into + other, run, item);
    into += run * item;
  };
  walk(walk, 0, first);
}

}  // namespace multifold::inline v0_1::stream
