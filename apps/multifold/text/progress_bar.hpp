// How far a run is, on a terminal; nothing anywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace multifold::app {

/// One line on standard error, drawn at most ten times a second and gone when the work is.
class progress_bar {
 public:
  /// `total_bytes` is empty where the end is not known (pipes).
  progress_bar(std::string label, std::optional<std::int64_t> total_bytes);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar() { clear(); }

  /// True where standard error is a terminal that can redraw a line.
  static bool wanted();

  void update(std::int64_t bytes);

  /// Takes the line away, for good. Any thread may call it.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  std::string line(std::int64_t bytes, double seconds) const;

  std::string label_;
  std::optional<std::int64_t> total_bytes_;
  bool colour_;
  bool visible_;
  clock::time_point start_ = clock::now();
  clock::time_point next_;
  std::mutex mutex_;
  bool drawn_ = false;
};

}  // namespace multifold::app
