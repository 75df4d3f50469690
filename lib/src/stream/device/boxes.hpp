// Chunks of a dense array as reductions that the GPU engine can plan: one box after the other, in memory order. No GPU
// is seen here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "host/shape/nest.hpp"
#include "multifold/plan.hpp"
#include "stream/host/slices.hpp"

namespace multifold::inline v0_1::stream {

/// A box of the array: its own small reduction, and where its results belong.
struct device_box {
  batches form;               // offsets count from the first element of the whole array
  std::int64_t first_result;  // as numbered by nest_loop::acc_step; those of the form are the ones that follow
  std::int64_t first_index;   // in its batch, of the first element
};

/// Whether boxes of a dense array of `form` are reductions that kernels take: unless it has very many runs, or indices
/// that do not ascend through memory within a batch.
bool streams_to_device(const batches& form);

/// Throws: unsupported_error, which begins with `who`, unless that is so.
void check_streams_to_device(const batches& form, const std::string& who);

/// `b` is one of those that host::cut makes of n.all.
device_box box_of(const host::nest& n, const host::box& b);

/// Calls `emit(device_box)` for the boxes that elements `range` (in memory order) consist of.
template <class Emit>
void boxes_of(const host::nest& n, host::interval range, const Emit& emit) {
  if (n.all.empty()) return emit(box_of(n, host::whole(n)));  // a single element
  host::cut(n, n.all, range, host::whole(n), [&](const host::box& b) { emit(box_of(n, b)); });
}

/// How chunks become work for a GPU.
struct chunk_cut {
  const slices& array;
  std::int64_t most_results;  // of one step
  std::int64_t cut_elements;  // steps do not reach beyond a multiple of it; 0: as far as the chunk
  bool one_sum;               // everything is part of slice 0, which stays open
};

/// Cuts the elements `range` of a chunk into steps, in ascending order:
/// to.whole(box)             batches that lie in it from end to end: straight to results;
/// to.part(box)              the others: into the accumulators of the open slice, where box.first_result counts from;
/// to.close(host::interval)  which are then complete, and become these results.
/// Results are numbered as their batches lie in memory. Those of a range ascend without gaps.
template <class To>
void steps_of(const chunk_cut& c, host::interval range, To&& to) {
  const slices& s = c.array;
  const auto add_part = [&](host::interval elements, std::int64_t slice) {
    boxes_of(s.nest, elements, [&](device_box box) {
      box.first_result -= slice * s.results;
      to.part(box);
    });
  };
  const auto close = [&](std::int64_t slice) { to.close(host::interval{slice * s.results, (slice + 1) * s.results}); };
  const auto add = [&](const slice_range& each) {
    if (!each.whole) {
      add_part(each.elements, each.slice);
      if (each.ends) close(each.slice);
      return;
    }
    const std::int64_t end = each.elements.end / s.elements, at_once = c.most_results / s.results;
    for (std::int64_t slice = each.slice; slice < end;) {
      const std::int64_t next = slice + std::min(end - slice, std::max<std::int64_t>(at_once, 1));
      const host::interval some{slice * s.elements, next * s.elements};
      if (at_once > 0) {
        boxes_of(s.nest, some, [&](const device_box& box) { to.whole(box); });
      } else {
        add_part(some, slice);
        close(slice);
      }
      slice = next;
    }
  };
  while (range.begin < range.end) {
    std::int64_t end = range.end;
    if (c.cut_elements > 0) end = std::min(end, (range.begin / c.cut_elements + 1) * c.cut_elements);
    if (c.one_sum && s.part > 0) end = std::min(end, (range.begin / s.part + 1) * s.part);
    if (c.one_sum) add_part({range.begin, end}, 0);
    else slice_ranges_of(s, {range.begin, end}, add);
    range.begin = end;
  }
}

}  // namespace multifold::inline v0_1::stream
