// From what was typed to what the library is asked for. Every function throws usage() on text that cannot be meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::app {

/// Empty if no --dtype was given: the file says itself what it holds.
std::optional<raw_options> raw_request(const raw_arguments& from);

/// Everything that can be judged before a file is open. An initial value and a correction are for those of `ops` that
/// take one.
reduce_options reduce_request(std::span<const op_kind> ops, const reduction_arguments& what,
                              const engine_arguments& how);

/// The rest, for an array of this layout: `initial`, and whether axes and result dtype fit.
void fit_to(const array_layout& layout, op_kind op, const reduction_arguments& what, reduce_options& options);

/// The array of a layout, without its data.
array_view view_of(const array_layout& layout);

/// The result dtype of `op` over `input`.
dtype result_type(op_kind op, dtype input, const reduce_options& options);

}  // namespace multifold::app
