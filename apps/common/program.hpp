// The frame of a program: signals, exceptions and exit codes around its work.
#pragma once

#include <functional>
#include <string_view>

#include "common/messages/failure.hpp"
#include "common/terminal/interrupt.hpp"

namespace multifold::app {

/// Does `work`, and says on standard error, after the program's name, why it came to no end.
/// Returns the exit code of the process: of `work`, of what it threw, or 128 and the number of the signal that ended
/// it.
int run_program(std::string_view name, const std::function<exit_code(interrupt_watch&)>& work);

}  // namespace multifold::app
