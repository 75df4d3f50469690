// Owned CUDA graphs, and what they can be asked.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/export.hpp"
#include "multifold/graphs/topology.hpp"

namespace multifold::inline v0_1::graphs {

/// Nodes and edges, not ready to run. Move-only; the destructor is silent.
class graph {
 public:
  graph() { cuda::check(cudaGraphCreate(&handle_, 0)); }
  explicit graph(cudaGraph_t handle) noexcept : handle_(handle) {}
  graph(graph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  graph& operator=(graph&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~graph() {
    if (handle_ != nullptr) cudaGraphDestroy(handle_);
  }

  cudaGraph_t get() const noexcept { return handle_; }

 private:
  cudaGraph_t handle_ = nullptr;
};

/// A graph that is ready to run. It never overlaps itself: launches wait for each other, on whatever streams. May be
/// destroyed while it runs. Move-only; the destructor is silent.
class executable {
 public:
  /// Cost: some microseconds a node, and device memory that the driver keeps for the graph.
  explicit executable(const graph& g) { cuda::check(cudaGraphInstantiate(&handle_, g.get(), 0)); }
  executable(executable&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  executable& operator=(executable&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~executable() {
    if (handle_ != nullptr) cudaGraphExecDestroy(handle_);
  }

  cudaGraphExec_t get() const noexcept { return handle_; }
  /// Sends to the device what the first launch would have to send.
  void upload(cuda::stream_handle stream) const { cuda::check(cudaGraphUpload(handle_, stream.get())); }
  void launch(cuda::stream_handle stream) const { cuda::check(cudaGraphLaunch(handle_, stream.get())); }

 private:
  cudaGraphExec_t handle_ = nullptr;
};

/// What the driver says of a graph: kernels by the names of their functions, without shapes.
MULTIFOLD_EXPORT topology topology_of(cudaGraph_t g);

}  // namespace multifold::inline v0_1::graphs
