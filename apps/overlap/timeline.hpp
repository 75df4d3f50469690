// Who did what when: the data behind every form of the report. No files, no clocks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace multifold::overlap {

enum class activity { read, reduce, copy, fetch, fill, call };

// In the order in which keys name them.
inline constexpr std::array all_activities{activity::read,   activity::fill,  activity::copy,
                                           activity::reduce, activity::fetch, activity::call};

/// How an activity is told of.
struct manner {
  const char* name;     // in traces, and of its colour
  char letter;          // in pictures of letters
  const char* letters;  // what the letter stands for
  const char* about;    // in keys of pictures
};
const manner& manner_of(activity what);

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
  bool of_gpu = false;  // an engine of it
};

/// What of a run is drawn: all of it where things do not repeat, else some chunks.
enum class part { middle, start, end, whole };

/// One way of doing the reduction.
struct run {
  std::string name;
  std::string about;
  std::string value;
  double seconds = 0;  // the median of several
  double least = 0, greatest = 0;
  double traced_seconds = 0;  // of the one that the lanes are of
  std::int64_t bytes = 0;
  part drawn = part::middle;
  std::vector<lane> lanes;  // none: there is nothing to draw

  double rate() const { return static_cast<double>(bytes) / seconds; }
};

/// What the machine can do at most, in bytes a second.
struct limit {
  std::string name;
  double rate;
};

/// Several ways of doing the same.
struct section {
  std::string title;  // empty: that of the whole report
  std::string about;
  std::string machine;
  std::string input;
  bool on_device = false;     // lanes are engines of a GPU
  std::vector<limit> limits;  // the first one is what runs are compared with
  std::vector<run> runs;      // the first one is the serial form
};

struct report {
  std::vector<section> sections;
};

/// A column of a section's table: what share of its time a run spent on something, 0 to 1; negative if that is unknown.
struct column {
  const char* title;
  std::function<double(const run&)> share;
};
std::vector<column> columns_of(const section& s);

/// What the lanes of a section show, each once.
std::vector<activity> activities_of(const section& s);

/// The window of a run that is drawn.
struct window {
  double start, end;
};
window window_of(const run& r);

/// What of a lane lies in `w`, cut off at its ends; where `gap` is not 0, neighbours of one kind that are no farther
/// apart are one.
std::vector<span> visible(const lane& l, const window& w, double gap);

}  // namespace multifold::overlap
