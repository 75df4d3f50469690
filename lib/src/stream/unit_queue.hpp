// The elements of an array that two engines share, in units: the one that is free takes the next.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::stream {

enum class shared_by : std::uint8_t { host, device };

/// Any thread, at any time.
class unit_queue {
 public:
  /// Units begin and end at multiples of `grain` elements, or at the end of the array.
  unit_queue(std::int64_t elements, std::int64_t grain);

  /// About `wanted` elements, less towards the end of the array; an empty interval if there are none left.
  host::interval claim(shared_by who, std::int64_t wanted);

  /// Whatever `who` has taken is there again: that engine's work is lost.
  void give_back(shared_by who);

  /// Elements that `who` has taken, and not given back.
  std::int64_t taken(shared_by who) const;
  bool empty() const;

 private:
  const std::int64_t grain_;
  mutable std::mutex mutex_;
  std::vector<host::interval> left_;                  // the last one is handed out first
  std::int64_t remaining_;                            // in them
  std::array<std::vector<host::interval>, 2> taken_;  // neighbours as one
};

}  // namespace multifold::inline v0_1::stream
