// What has to come of complex numbers, which a trial has as their parts along a last axis of extent 2. Its axes are
// those of the numbers.
#pragma once

#include <cstddef>

#include "agreement/reference/reference.hpp"

namespace multifold::agreement {

/// entry::complex; operations are sum, mean, prod, sumsq, norm2, any, all, count_nonzero and dot.
expectation expected_complex(const trial& t, const std::byte* x, const std::byte* y);

}  // namespace multifold::agreement
