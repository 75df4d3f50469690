// Stream capture that ends, whatever happens.
#pragma once

#include <cuda_runtime_api.h>

#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::inline v0_1::graphs {

/// From its construction on, work that this thread enqueues on the stream becomes nodes. In thread-local mode: other
/// threads may allocate memory and synchronise meanwhile. Destroyed before `end`, it ends the capture and throws the
/// nodes away.
/// Throws: unsupported_error for the default stream, and for one that is being captured already, which stays as it is.
class MULTIFOLD_EXPORT capture_scope {
 public:
  explicit capture_scope(cuda::stream_handle stream);
  capture_scope(const capture_scope&) = delete;
  capture_scope& operator=(const capture_scope&) = delete;
  ~capture_scope();

  /// Throws: cuda_error if the capture was broken by something that cannot be captured.
  graph end();

 private:
  cudaStream_t stream_;
  bool open_ = true;
};

/// Whether work on `stream` becomes nodes of somebody's graph.
MULTIFOLD_EXPORT bool is_being_captured(cuda::stream_handle stream);

/// Throws unsupported_error for a stream that is being captured, and for the default stream while one that waits for it
/// is: what is captured does not run, so that nothing can wait for it, and CUDA breaks the capture of one who tries.
MULTIFOLD_EXPORT void refuse_captured(cuda::stream_handle stream);

}  // namespace multifold::inline v0_1::graphs
