// Slices are units where there are so many that one more or less on one side does not matter.
#include "stream/shared_array.hpp"

#include <algorithm>
#include <numeric>

#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t enough_slices = 64;
constexpr std::int64_t unit_bytes = INT64_C(16) << 20;
constexpr std::int64_t least_unit_bytes = INT64_C(1) << 20;
// Of the array: accumulators of several slices that may be kept open at a time.
constexpr std::int64_t least_share_of_accumulators = 8;
// Merging one takes as long as reading a few KB, and an exact sum of f32 takes a hundred bytes.
constexpr std::int64_t cheap_share_of_accumulators = 256;

// Whether the accumulators of all results take at most a `share`th of what the elements take.
bool are_few(const reduction& what, const slices& s, std::int64_t share) {
  return s.nest.length * item_bytes(what.input) / share >= accumulator_bytes(what);
}

bool stays_open(const reduction& what, const slices& s) {
  return s.count == 1 || (s.count < enough_slices && are_few(what, s, least_share_of_accumulators));
}

// Whole slices; and whole pages of a file, where that is no large unit.
std::int64_t least_unit(const slices& s, bool open, std::int64_t item) {
  const std::int64_t page = page_bytes / item, least = least_unit_bytes / item;
  if (open) return least;
  std::int64_t grain = s.elements;
  if (grain < least) grain = std::lcm(grain, page) <= least ? std::lcm(grain, page) : grain;
  return std::max<std::int64_t>(least / grain, 1) * grain;
}

}  // namespace

bool same_in_any_order(const reduction& what) { return always_exact(what) || gathers_exactly(what); }

shared_array::shared_array(const reduction& what, const batches& form)
    : open(stays_open(what, slices_of(form))),
      array(open ? open_slice(form) : slices_of(form)),
      least(least_unit(array, open, item_bytes(what.input))),
      units(form.elements(), least) {}

bool merges_cheaply(const reduction& what, const batches& form) {
  const slices s = slices_of(form);
  return s.count >= enough_slices || are_few(what, s, cheap_share_of_accumulators);
}

// One brings 12 GB/s into pinned memory (a Xeon), so that five fill a PCIe 5 link. It can reduce about as much itself,
// or half of it where chunks are read first, so that more than half of the threads are never better off staging.
int threads_that_stage(int threads) { return std::clamp(threads / 2, 1, 5); }

std::int64_t unit_elements(std::int64_t item) { return unit_bytes / item; }

}  // namespace multifold::inline v0_1::stream
