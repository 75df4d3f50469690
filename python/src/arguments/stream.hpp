// The stream of CUDA on which a caller goes on: what arrays on a GPU are asked to be ready on.
#pragma once

#include <cstdint>

#include "python.hpp"

namespace multifold::python {

/// A cudaStream_t as DLPack numbers it: 1 is the legacy default stream, 2 that of each thread; 0 if none is meant.
using cuda_stream = std::uintptr_t;
inline constexpr cuda_stream no_stream = 0, legacy_stream = 1;

/// What an int, an object with __cuda_stream__, a stream of PyTorch or one of CuPy means; no_stream for None.
/// Throws: TypeError for all else, ValueError for numbers that are no stream.
cuda_stream stream_from(nb::handle given);

/// As reduce_options has it, where the default stream is null.
CUstream_st* option_from(cuda_stream stream) noexcept;

/// Throws: TypeError if a stream is given with what is not on a GPU.
void refuse_on_host(cuda_stream stream);

/// Waits, without the GIL, for the work that is on `stream` now.
void wait_for(cuda_stream stream);

}  // namespace multifold::python
