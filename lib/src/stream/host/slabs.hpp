// A dense array as slabs: equal stretches of memory that hold complete batches, so that none spans two of them.
#pragma once

#include <cstdint>
#include <vector>

#include "host/shape/nest.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::stream {

inline constexpr std::int64_t page_bytes = 4096;  // of a file in memory

/// Rows are one slab each; a full reduction, or columns of everything, is a single one.
struct slabs {
  host::nest nest;
  std::int64_t count = 1;
  std::int64_t elements = 1;  // of a slab
  std::int64_t results = 1;   // of a slab; neighbours in the numbering of nest.kept
  std::vector<int> kept;      // the kept loops inside a slab
  std::int64_t part = 0;      // elements of what an open slab consists of, if that is several
};

slabs slabs_of(const batches& form);

/// One slab that never ends, with one result: a stream of unknown length.
slabs endless_slab();

/// The whole array as one slab that stays open, whatever is read: its results are made in the end.
slabs open_slab(const batches& form);

/// Elements [begin, end) of one slab, or of several whole ones.
struct stretch {
  std::int64_t slab;
  host::interval elements;
  bool whole;  // whole slabs, else a part of one
  bool ends;   // the part reaches the end of its slab
};

/// Cuts elements [begin, end) into stretches.
template <class Emit>
void stretches_of(const slabs& s, host::interval range, const Emit& emit) {
  while (range.begin < range.end) {
    const std::int64_t slab = range.begin / s.elements, within = range.begin % s.elements;
    const std::int64_t left = range.end - range.begin;
    stretch next{slab, range, false, false};
    if (within == 0 && left >= s.elements) {
      next.whole = true;
      next.elements.end = range.begin + left / s.elements * s.elements;
    } else {
      const std::int64_t to_end = s.elements - within;
      next.ends = to_end <= left;
      next.elements.end = range.begin + (next.ends ? to_end : left);
    }
    emit(next);
    range.begin = next.elements.end;
  }
}

}  // namespace multifold::inline v0_1::stream
