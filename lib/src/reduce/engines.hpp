// Which engine a request goes to. Private to the API.
#pragma once

#include "multifold/reduce.hpp"
#include "reduce/request.hpp"

namespace multifold::detail {

/// The traits of the engine that `options` and the environment leave for `r`, whose array lives in `where` and is
/// dense or not. Throws engine_error if the engine that was asked for is not there, unsupported_error if it cannot.
engine_traits choose_engine(const request& r, place where, bool dense, const reduce_options& options);

}  // namespace multifold::detail
