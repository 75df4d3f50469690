// What has to come of entry::logsumexp: long double, and the bounds that multifold/logsumexp.hpp states.
#pragma once

#include <cstddef>

#include "agreement/reference/reference.hpp"

namespace multifold::agreement {

/// The dtype of results is that of a mean.
expectation expected_logsumexp(const trial& t, const std::byte* x);

}  // namespace multifold::agreement
