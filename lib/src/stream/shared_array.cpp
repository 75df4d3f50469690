// Slabs are units where there are so many that one more or less on one side does not matter.
#include "stream/shared_array.hpp"

#include <algorithm>
#include <numeric>

#include "multifold/reduction.hpp"

namespace multifold::stream {
namespace {

constexpr std::int64_t enough_slabs = 64;
constexpr std::int64_t unit_bytes = INT64_C(16) << 20;
constexpr std::int64_t least_unit_bytes = INT64_C(1) << 20;
constexpr std::int64_t page_bytes = 4096;
// Of the array: accumulators of several slabs that may be kept open at a time.
constexpr std::int64_t least_share_of_accumulators = 8;

bool stays_open(const reduction& what, const slabs& s) {
  if (s.count == 1) return true;
  if (s.count >= enough_slabs) return false;
  const std::int64_t bytes = s.nest.results * s.nest.length * item_bytes(what.input);
  return s.nest.results <= bytes / least_share_of_accumulators / accumulator_bytes(what);
}

// Whole slabs; and whole pages of a file, where that is no large unit.
std::int64_t least_unit(const slabs& s, bool open, std::int64_t item) {
  const std::int64_t page = page_bytes / item, least = least_unit_bytes / item;
  if (open) return least;
  std::int64_t grain = s.elements;
  if (grain < least) grain = std::lcm(grain, page) <= least ? std::lcm(grain, page) : grain;
  return std::max<std::int64_t>(least / grain, 1) * grain;
}

}  // namespace

shared_array::shared_array(const reduction& what, const batches& form)
    : open(stays_open(what, slabs_of(form))),
      array(open ? open_slab(form) : slabs_of(form)),
      least(least_unit(array, open, item_bytes(what.input))),
      units(form.elements(), least) {}

// One brings 12 GB/s into pinned memory (a Xeon), so that five fill a PCIe 5 link. It can reduce about as much itself,
// or half of it where chunks are read first, so that more than half of the threads are never better off staging.
int threads_that_stage(int threads) { return std::clamp(threads / 2, 1, 5); }

std::int64_t unit_elements(std::int64_t item) { return unit_bytes / item; }

}  // namespace multifold::stream
