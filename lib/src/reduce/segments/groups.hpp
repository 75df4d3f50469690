// What is wrong with groups, in the words of both engines. Private to the API.
#pragma once

#include <cstdint>

#include "reduce/segments/request.hpp"

namespace multifold::inline v0_1::detail {

/// Throws: shape_error: key number `position` is no group.
[[noreturn]] void throw_bad_key(std::int64_t position, std::int64_t key, std::int64_t groups);

/// Throws: shape_error unless `group`, the first one without elements, or -1, is none or has a value.
void check_empty_group(const segment_request& r, std::int64_t group);

}  // namespace multifold::inline v0_1::detail
