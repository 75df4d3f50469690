// The states that --merge names, and the one that --save-state leaves.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/terminal/interrupt.hpp"
#include "multifold/state.hpp"

namespace multifold::app {

/// All states in files as one, for one operation. Failures name the file, and what was found and expected.
class merged_states {
 public:
  /// Reads every file, before anything else is done.
  merged_states(op_kind op, const std::vector<std::string>& files, interrupt_watch& watch);

  bool empty() const { return !state_; }
  const state& all() const { return *state_; }

  /// Refuses to be added to by results of these extents, of elements of `element`.
  void require(dtype element, std::vector<std::int64_t> extents, nan_policy nan) const;

 private:
  void add(const std::string& file);

  const op_kind op_;
  std::string first_;
  std::optional<state> state_;
};

/// Writes `bytes` beside `path`, does `report`, and only then puts the file in its place: after any failure the same
/// command can be run again, and nothing is added twice.
void save_state(const std::string& path, const std::vector<std::byte>& bytes, interrupt_watch& watch,
                const std::function<void()>& report);

}  // namespace multifold::app
