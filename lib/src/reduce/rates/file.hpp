// Rates as a file that can be lost at any time. Private to the API.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "multifold/rates.hpp"

namespace multifold::inline v0_1::detail {

/// Rates, and whose they are.
struct rates_record {
  std::string version, processor;
  std::string gpu;  // its UUID; empty: none
  machine_rates rates;

  bool operator==(const rates_record&) const = default;
};

/// Lines of a key and a value.
std::string to_text(const rates_record& record);

/// Empty for text that to_text could not have made.
std::optional<rates_record> parse_rates(std::string_view text);

/// Where the record is kept; empty if nowhere.
std::string rates_path();

/// Empty for whatever reason.
std::optional<rates_record> load_rates(const std::string& path);

/// Replaces the file as a whole. False if that cannot be done, and then nothing is left behind.
bool save_rates(const std::string& path, const rates_record& record) noexcept;

}  // namespace multifold::inline v0_1::detail
