// Sizes as people write them.
#include "text/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace multifold::app {
namespace {

constexpr std::string_view prefixes = "KMGTPE";

// The factor of a unit like "KiB", "K", "kB" or "B"; empty if there is no such unit.
std::optional<double> factor_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1.0;
  const char letter = unit[0] == 'k' ? 'K' : unit[0];
  const std::size_t power = prefixes.find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  if (rest != "" && rest != "iB" && rest != "i" && rest != "B") return std::nullopt;
  return std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  if (code != std::errc{}) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::optional<double> factor = factor_of(unit);
  if (!factor) return std::nullopt;

  // Past 2^53 a double would not do; plain integers take their own way.
  std::int64_t whole = 0;
  const auto [whole_end, whole_code] = std::from_chars(text.data(), last, whole);
  if (whole_end == end && whole_code == std::errc{}) {
    std::int64_t bytes = 0;
    if (whole < 0 || *factor > 0x1p62) return std::nullopt;
    if (__builtin_mul_overflow(whole, static_cast<std::int64_t>(*factor), &bytes)) return std::nullopt;
    return bytes;
  }
  const double bytes = number * *factor;
  if (!(bytes >= 0) || bytes >= 0x1p63 || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double value = static_cast<double>(bytes);
  std::size_t power = 0;
  while (value >= 1024 && power < prefixes.size()) {
    value /= 1024;
    ++power;
  }
  return fmt::format("{:.4g} {}iB", value, prefixes[power - 1]);
}

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return fmt::format("{:.1f} GB/s", bytes_per_second / 1e9);
  return fmt::format("{:.0f} MB/s", bytes_per_second / 1e6);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace multifold::app
