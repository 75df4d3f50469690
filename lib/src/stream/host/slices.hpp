// A dense array as slices: equal ranges of memory that hold complete batches, so that none spans two of them.
#pragma once

#include <cstdint>
#include <vector>

#include "host/shape/nest.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::stream {

inline constexpr std::int64_t page_bytes = 4096;  // of a file in memory

/// Rows are one slice each; a full reduction, or columns of everything, is a single one.
struct slices {
  host::nest nest;
  std::int64_t count = 1;
  std::int64_t elements = 1;  // of a slice
  std::int64_t results = 1;   // of a slice; neighbours in the numbering of nest.kept
  std::vector<int> kept;      // the kept loops inside a slice
  std::int64_t part = 0;      // elements of what an open slice consists of, if that is several
};

slices slices_of(const batches& form);

/// One slice that never ends, with one result: a stream of unknown length.
slices endless_slice();

/// The whole array as one slice that stays open, whatever is read: its results are made in the end.
slices open_slice(const batches& form);

/// Elements [begin, end) of one slice, or of several whole ones.
struct slice_range {
  std::int64_t slice;
  host::interval elements;
  bool whole;  // whole slices, else a part of one
  bool ends;   // the part reaches the end of its slice
};

/// Cuts elements [begin, end) into ranges of slices.
template <class Emit>
void slice_ranges_of(const slices& s, host::interval range, const Emit& emit) {
  while (range.begin < range.end) {
    const std::int64_t slice = range.begin / s.elements, within = range.begin % s.elements;
    const std::int64_t left = range.end - range.begin;
    slice_range next{slice, range, false, false};
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
