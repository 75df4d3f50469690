// Numbers of bytes and spans of time, to and from text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace multifold::app {

/// Reads "4GiB", "256 MiB", "1.5GB", "512K", "1e9": powers of 1024 with an i or without a B, of 1000 with a B alone.
/// Empty unless it is a whole number of bytes that fits 64 bits.
std::optional<std::int64_t> parse_size(std::string_view text);

/// "256 MiB", "1.5 GiB", "12 bytes".
std::string size_text(std::int64_t bytes);

/// "4.2 GB/s"; powers of 1000, as memory and disks are sold.
std::string rate_text(double bytes_per_second);

/// "0:07", "12:34", "1:02:03".
std::string duration_text(double seconds);

}  // namespace multifold::app
