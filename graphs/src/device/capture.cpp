#include "multifold/graphs/capture.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::graphs {

bool is_being_captured(cuda::stream_handle stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(stream.get(), &status));
  return status != cudaStreamCaptureStatusNone;
}

void refuse_captured(cuda::stream_handle stream) {
  cudaStreamCaptureStatus found = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(stream.get(), &found);
  if (code == cudaErrorStreamCaptureImplicit) {
    cuda::forget(code);
    throw unsupported_error(
        "a stream that waits for the default stream is being captured, so that nothing can wait for the default stream "
        "meanwhile: name the stream on which the array is written, or capture one made with cudaStreamNonBlocking");
  }
  cuda::check(code);
  if (found == cudaStreamCaptureStatusNone) return;
  throw unsupported_error(
      "the stream is being captured, and what is captured does not run, so that nothing can wait for it: capture "
      "reduce_async, or name another stream");
}

capture_scope::capture_scope(cuda::stream_handle stream) : stream_(stream.get()) {
  if (stream_ == nullptr || stream_ == cudaStreamLegacy) {
    throw unsupported_error("the default stream cannot be captured: use a stream of your own");
  }
  if (is_being_captured(stream)) {
    throw unsupported_error("the stream is being captured already: end that capture first, or use another stream");
  }
  cuda::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

graph capture_scope::end() {
  open_ = false;
  cudaGraph_t captured = nullptr;
  cuda::check(cudaStreamEndCapture(stream_, &captured));
  return graph(captured);
}

capture_scope::~capture_scope() {
  if (!open_) return;
  cudaGraph_t unfinished = nullptr;
  cuda::forget(cudaStreamEndCapture(stream_, &unfinished));  // what broke the capture is on its way as an exception
  if (unfinished != nullptr) cudaGraphDestroy(unfinished);
}

}  // namespace multifold::inline v0_1::graphs
