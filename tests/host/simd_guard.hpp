// Forces a SIMD level for the life of a guard.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "host/simd.hpp"

namespace test {

/// Levels that this machine runs.
inline std::vector<multifold::host::simd_level> levels() {
  std::vector<multifold::host::simd_level> found;
  for (int i = 0; i < multifold::host::simd_levels; ++i) {
    const auto level = static_cast<multifold::host::simd_level>(i);
    if (multifold::host::supported(level)) found.push_back(level);
  }
  return found;
}

class simd_guard {
 public:
  explicit simd_guard(multifold::host::simd_level level) {
    ::setenv("MULTIFOLD_SIMD", std::string(name(level)).c_str(), 1);
  }
  ~simd_guard() { ::unsetenv("MULTIFOLD_SIMD"); }
  simd_guard(const simd_guard&) = delete;
  simd_guard& operator=(const simd_guard&) = delete;
};

}  // namespace test
