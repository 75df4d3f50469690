// What a profiler counted: recorded by record_counters.py, kept in counters.json, and put into the program by the
// build.
#pragma once

#include <map>
#include <string>

namespace multifold::ladder {

/// Of the first pass of a rung.
struct counters {
  double busy_lanes = 0;      // of a warp's 32, in an average instruction
  double bank_conflicts = 0;  // share of the accesses to shared memory that are repeated because of them
  double issue_slots = 0;     // share of an SM's chances to issue an instruction that it takes
  double memory = 0;          // share of the memory's greatest rate
  double barrier_wait = 0;    // cycles that a warp waits at barriers, for each of its instructions
  double load_wait = 0;       // and for what it has loaded from memory
};

struct counters_record {
  std::string device, date, problem;
  std::map<std::string, counters> of;  // by the rung's name
};

/// Those of counters.json.
counters_record recorded_counters();

}  // namespace multifold::ladder
