// Streams of the device engine's own. Private to it.
#pragma once

#include "multifold/cuda/stream.hpp"

namespace multifold::inline v0_1::detail {

/// A stream whose work begins after what is on `after` now.
cuda::stream stream_behind(cudaStream_t after);

}  // namespace multifold::inline v0_1::detail
