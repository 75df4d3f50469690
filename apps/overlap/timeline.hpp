// Who did what when: the data behind every form of the report. No files, no clocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace multifold::overlap {

enum class activity { read, reduce };

const char* name(activity what);

/// Seconds are counted from the start of the run.
struct span {
  double start, end;
  activity what;
  std::int64_t chunk;  // -1: all of them
  std::int64_t bytes;
};

/// A thread, or whatever else does one thing at a time; its spans follow each other.
struct lane {
  std::string name;
  std::vector<span> spans;
};

/// One way of doing the reduction.
struct run {
  std::string name;
  std::string about;
  std::string value;
  double seconds = 0;  // the median of several
  double least = 0, greatest = 0;
  std::int64_t bytes = 0;
  bool in_phases = false;  // shown whole: what happens in it does not repeat
  std::vector<lane> lanes;

  double rate() const { return static_cast<double>(bytes) / seconds; }
};

/// What the machine can do at most, in bytes a second.
struct limit {
  std::string name;
  double rate;
};

struct report {
  std::string machine;
  std::string input;
  std::vector<limit> limits;  // the first one is what runs are compared with
  std::vector<run> runs;      // the first one is the serial form
};

/// The part of its lanes' time that a run spent on `what`, 0 to 1.
double share(const run& r, activity what);

/// The stretch of a run that is drawn: all of it, or some chunks from its middle.
struct window {
  double start, end;
};
window window_of(const run& r);

/// What of a lane lies in `w`, cut off at its ends; neighbours of one kind that are no farther apart than `gap` are
/// one.
std::vector<span> visible(const lane& l, const window& w, double gap);

/// "3.2 GB/s".
std::string rate_text(double rate);

/// "1.5 ms".
std::string time_text(double seconds);

}  // namespace multifold::overlap
