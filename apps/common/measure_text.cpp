// Figures with as many digits as they are known to.
#include "common/measure_text.hpp"

#include <fmt/format.h>

namespace multifold::app {

std::string bandwidth_text(double bytes_per_second) {
  return fmt::format("{:.{}f} GB/s", bytes_per_second / 1e9, bytes_per_second < 10e9 ? 2 : 1);
}

std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string share_text(double share) { return share < 0 ? "" : fmt::format("{:.0f} %", 100 * share); }

}  // namespace multifold::app
