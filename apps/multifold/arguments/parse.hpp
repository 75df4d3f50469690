// What single words of the command line mean. Every function throws usage() on text that cannot be meant.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "multifold/axes.hpp"
#include "multifold/correction.hpp"
#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace multifold::app {

/// "4096", "4KiB", "1e9".
std::int64_t parse_bytes(const std::string& option, const std::string& text);

/// "1000,64", "(1000, 64)", "1000x64"; "()" is a scalar.
std::vector<std::int64_t> parse_shape(const std::string& text);

/// Numbers of GPUs like "0,1", or "all" there are.
std::vector<int> parse_devices(const std::string& text);

/// What comes off the count: an integer or a decimal of 0 or more.
correction parse_correction(const std::string& text);

/// An integer of 64 bits, exactly, or any decimal that is finite, as the nearest double.
std::variant<std::int64_t, std::uint64_t, double> parse_shift(const std::string& text);

/// Each of `texts` is one axis or a list with commas; all if there are none.
axes parse_axes(const std::vector<std::string>& texts);

/// An integer that fits 64 bits, with or without sign, for integer inputs; any decimal, nan and inf for the others.
initial_value parse_initial(const std::string& text, dtype input);

}  // namespace multifold::app
