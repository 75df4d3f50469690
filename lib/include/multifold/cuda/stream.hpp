// An owned CUDA stream.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda {

/// A stream that does not wait for the default stream. Move-only; the destructor is silent and does not synchronise.
class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  stream& operator=(stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~stream() {
    if (handle_ != nullptr) cudaStreamDestroy(handle_);
  }

  cudaStream_t get() const noexcept { return handle_; }
  void synchronise() const { check(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

}  // namespace multifold::inline v0_1::cuda
