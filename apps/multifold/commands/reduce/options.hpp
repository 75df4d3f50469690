// The options of multifold OP FILE..., whatever OP is.
#pragma once

#include <optional>

#include "commands/reduce/files.hpp"

namespace multifold::app {

/// Arguments and options of `command`, as help for `op` describes them, or for any operation. Options that the
/// operation refuses are known, too.
void add_reduce_options(CLI::App& command, std::optional<op_kind> op, reduce_arguments& to);

}  // namespace multifold::app
