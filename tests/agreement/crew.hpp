// Many workers over the cases of one seed; differences are shrunk and printed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agreement/generate/generate.hpp"

namespace multifold::agreement {

struct tour {
  std::uint64_t seed = 0;
  std::int64_t first = 0, cases = 0;  // 0 cases: as many as there is time for
  double seconds = 0;                 // 0: as long as it takes
  int workers = 0;                    // 0: one a core
  bool show = false;
  std::string only;  // cases of this class, as class_of() names it
  limits most{.most_bytes = 0};
};

struct record {
  std::int64_t cases = 0, refusals = 0, differences = 0;
  double seconds = 0;
  std::map<std::string, std::int64_t> classes;  // cases of each
};

/// Ends early after some differences.
record run_tour(const tour& how);

/// One case by its line; true if all is as it should be.
bool run_case(const std::string& line, const tour& how);

}  // namespace multifold::agreement
