// What the library refuses by its documentation, said a second time: anything else that it refuses is a difference.
#pragma once

#include <string>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// Why `t` has to be an unsupported_error; empty if it has not.
std::string must_be_refused(const trial& t);

/// Why `t` may be one; empty if it may not.
std::string may_be_refused(const trial& t);

}  // namespace multifold::agreement
