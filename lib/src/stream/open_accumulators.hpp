// Accumulators of a slice that stays open until all of the array is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stream/host/merge.hpp"

namespace multifold::inline v0_1::stream {

/// The accumulators of every result of `array`, as the CPU has them.
struct open_accumulators {
  const host::fold& fold;
  const slices& array;
  std::byte* first;
  int threads;

  /// Merges those that a GPU has gathered, which are not used again: accumulator_bytes(what) each.
  void merge_whole(const reduction& what, const std::byte* from) const;
  /// Makes the results, over `count` elements each.
  void lower(result_sink& sink, std::int64_t count) const;
};

}  // namespace multifold::inline v0_1::stream
