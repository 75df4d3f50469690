// Measured figures for people.
#pragma once

#include <string>

namespace multifold::app {

/// "12.3 GB/s"; powers of 1000, as memory and disks are sold.
std::string bandwidth_text(double bytes_per_second);

/// "12.34 ms".
std::string time_text(double seconds);

/// "87 %"; nothing for a share below 0, which is none.
std::string share_text(double share);

}  // namespace multifold::app
