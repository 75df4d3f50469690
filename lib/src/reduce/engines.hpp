// Which engine a request goes to. Private to the API.
#pragma once

#include "multifold/reduce.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {

/// An engine; or the device, if it shares the array with the host.
struct chosen_engine {
  engine_traits traits;
  bool shared = false;
};

/// The choice of `options`, or that of the environment where they leave it open.
/// Throws: engine_error if the environment names no engine.
engine_choice choice_of(const reduce_options& options);

/// What `options` and the environment leave for `r`, whose array lives in `where`, without a look at any engine.
/// Throws unsupported_error where no engine that was asked for can serve it.
engine_choice choice_for(const request& r, place where, const reduce_options& options);

/// The engine that `options` and the environment leave for `r`, whose array lives in `where` and is
/// dense or not. Throws engine_error if the engine that was asked for is not there, unsupported_error if it cannot.
chosen_engine choose_engine(const request& r, place where, bool dense, const reduce_options& options);

/// The host, for a request that only it can serve.
chosen_engine host_engine(const request& r, const reduce_options& options);

/// Traits of the current device. Throws: engine_error if it is not there.
engine_traits open_device();

/// The engine for segments of an array in `where`: whole arrays go to the engine where they are. The device may not be
/// there.
engine_kind engine_of_segments(place where, const reduce_options& options);

/// Whether arrays that no GPU is looked at for are left to the host engine: as the environment had it when it was first
/// asked. Throws engine_error for what it does not know.
bool host_takes_small_arrays();

}  // namespace multifold::inline v0_1::detail
