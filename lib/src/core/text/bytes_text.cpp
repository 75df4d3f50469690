// Bytes in the largest unit that leaves a digit in front of the point, in integers all the way.
#include "core/text/bytes_text.hpp"

#include <array>
#include <cstdint>

namespace multifold::inline v0_1 {

std::string bytes_text(int128_t bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  int128_t tenths = bytes * 10;
  while (tenths >= 10240 && unit + 1 < units.size()) {
    tenths = (tenths + 512) / 1024;
    ++unit;
  }
  const auto whole = static_cast<std::int64_t>(tenths / 10);
  const auto rest = static_cast<int>(tenths % 10);
  return std::to_string(whole) + (rest != 0 ? "." + std::to_string(rest) : "") + " " + units[unit];
}

}  // namespace multifold::inline v0_1
