// The states of exact sums that --merge names, and the one that --save-state leaves.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/interrupt.hpp"
#include "multifold/dtype.hpp"

namespace multifold::app {

/// The sum of states in files, all of one element type. Failures name the file, the byte, found and expected.
class merged_states {
 public:
  /// Reads every file, before anything else is done.
  merged_states(const std::vector<std::string>& files, interrupt_watch& watch);

  bool empty() const { return state_.empty(); }
  dtype element() const { return element_; }
  const std::vector<std::byte>& state() const { return state_; }

  /// Refuses an array of another element type.
  void require(dtype element) const;

 private:
  void add(const std::string& file);

  std::string first_;
  dtype element_ = dtype::f32;
  std::vector<std::byte> state_;
};

/// Writes `state` beside `path`, does `report`, and only then puts the file in its place: after any failure the same
/// command can be run again, and nothing is added twice.
void save_state(const std::string& path, const std::vector<std::byte>& state, interrupt_watch& watch,
                const std::function<void()>& report);

}  // namespace multifold::app
