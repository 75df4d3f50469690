// From what was typed to what the library is asked for. Every function throws usage() on text that cannot be meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::app {

dtype parse_type(const std::string& option, const std::string& text);

/// "1000,64", "(1000, 64)", "1000x64"; "()" is a scalar.
std::vector<std::int64_t> parse_shape(const std::string& text);

/// Each of `texts` is one axis or a list with commas; empty if there are none.
std::optional<std::vector<std::int64_t>> parse_axes(const std::vector<std::string>& texts);

/// An integer that fits 64 bits, with or without sign, for integer inputs; any decimal, nan and inf for the others.
initial_value parse_initial(const std::string& text, op_kind op, dtype input);

/// Empty if no --dtype was given: the file says itself what it holds.
std::optional<raw_options> raw_request(const raw_arguments& from);

/// Everything that can be judged before a file is open.
reduce_options reduce_request(const reduction_arguments& what, const engine_arguments& how);

/// The rest, for an array of this layout: `initial`, and whether axes and result dtype fit.
void fit_to(const array_layout& layout, op_kind op, const reduction_arguments& what, reduce_options& options);

/// The array of a layout, without its data.
array_view view_of(const array_layout& layout);

/// The result dtype of `op` over `input`.
dtype result_type(op_kind op, dtype input, const reduce_options& options);

}  // namespace multifold::app
