// What programs say on standard error: a line for people, or a JSON object for programs.
#pragma once

#include <string_view>

#include "common/messages/failure.hpp"

namespace multifold::app {

/// What messages begin with from now on; "multifold" until then.
void name_program(std::string_view name);

/// Whether failures are told as JSON from now on; not until then.
void complain_as_json(bool wanted) noexcept;

/// Writes "multifold: MESSAGE" as one line to standard error.
void complain(std::string_view message);

/// The same about a failure, or
/// {"schema":"multifold.error/1","program":...,"kind":...,"message":...,"exit_code":STATUS} with "file", or "files" of
/// several, where it is about any. `status` is what the process, or the work on these files, ends with.
void complain(const failure& problem, int status);

}  // namespace multifold::app
