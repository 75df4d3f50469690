// Where segments begin and end, looked at once before they are reduced: what is wrong with them, and how much work is
// where.
#pragma once

#include <cstdint>
#include <vector>

#include "host/elements/packed.hpp"
#include "host/shape/nest.hpp"
#include "multifold/dtype.hpp"

namespace multifold::inline v0_1::host {

/// Segment i is [begins[i], ends[i]) along an axis. Numbers of i32 or i64, at any address.
struct segment_bounds {
  const std::byte* begins;
  const std::byte* ends;
  dtype type;
  std::int64_t count;

  interval at(std::int64_t segment) const { return {read(begins, segment), read(ends, segment)}; }

 private:
  std::int64_t read(const std::byte* from, std::int64_t i) const {
    return type == dtype::i32 ? packed_at<std::int32_t>(from)[i].value : packed_at<std::int64_t>(from)[i].value;
  }
};

struct segment_census {
  /// Neighbours that are counted together.
  static constexpr std::int64_t block_segments = 512;

  struct block {
    std::int64_t elements, longest;  // along the axis
  };

  std::int64_t first_bad = -1;    // begins before element 0, or ends before its begin or past the axis; nothing else
                                  // is known then
  std::int64_t first_empty = -1;  // -1 if there is none
  std::int64_t elements = 0;      // of all of them along the axis; INT64_MAX if there are more
  std::vector<block> blocks;
};

/// `extent` is that of the axis, `threads` as in run_options. Throws: out_of_memory.
segment_census take_census(const segment_bounds& of, std::int64_t extent, int threads);

}  // namespace multifold::inline v0_1::host
