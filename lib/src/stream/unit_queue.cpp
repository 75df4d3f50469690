// Guided self-scheduling: units are a share of what remains, so that those who take the last ones end at about the same
// time (Polychronopoulos and Kuck, IEEE Transactions on Computers C-36, 1987).
#include "stream/unit_queue.hpp"

#include <algorithm>
#include <numeric>

namespace multifold::inline v0_1::stream {
namespace {

// A GPU has four units on their way, and takes about half of what two engines get through.
constexpr std::int64_t shares = 8;

std::int64_t length_of(const host::interval& i) { return i.end - i.begin; }

}  // namespace

unit_queue::unit_queue(std::int64_t elements, std::int64_t grain) : grain_(grain), remaining_(elements) {
  if (elements > 0) left_.push_back({0, elements});
}

host::interval unit_queue::claim(shared_by who, std::int64_t wanted) {
  const std::lock_guard lock(mutex_);
  if (left_.empty()) return {0, 0};
  host::interval& from = left_.back();
  const std::int64_t grains = std::max<std::int64_t>(std::min(wanted, remaining_ / shares) / grain_, 1);
  const host::interval unit{from.begin, from.begin + std::min(length_of(from), grains * grain_)};
  from.begin = unit.end;
  if (length_of(from) == 0) left_.pop_back();
  remaining_ -= length_of(unit);
  std::vector<host::interval>& mine = taken_[static_cast<std::size_t>(who)];
  if (!mine.empty() && mine.back().end == unit.begin) mine.back().end = unit.end;
  else mine.push_back(unit);
  return unit;
}

void unit_queue::give_back(shared_by who) {
  const std::lock_guard lock(mutex_);
  std::vector<host::interval>& lost = taken_[static_cast<std::size_t>(who)];
  for (const host::interval& each : lost) remaining_ += length_of(each);
  left_.insert(left_.end(), lost.rbegin(), lost.rend());
  lost.clear();
}

std::int64_t unit_queue::taken(shared_by who) const {
  const std::lock_guard lock(mutex_);
  const std::vector<host::interval>& mine = taken_[static_cast<std::size_t>(who)];
  return std::accumulate(mine.begin(), mine.end(), std::int64_t{0},
                         [](std::int64_t sum, const host::interval& each) { return sum + length_of(each); });
}

bool unit_queue::empty() const {
  const std::lock_guard lock(mutex_);
  return left_.empty();
}

}  // namespace multifold::inline v0_1::stream
