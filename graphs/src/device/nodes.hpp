// Work for a queue as nodes of a graph: made, remembered, and set to other arguments.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multifold/cuda/work_queue.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::inline v0_1::graphs {

/// A kernel or memset with copies of its arguments, and the node that it is.
struct work_node {
  bool is_kernel = true;
  int device = 0;  // of a kernel
  const void* function = nullptr;
  cudaFunction_t loaded = nullptr;  // the same on the device; null before the node is set for the first time
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
  std::vector<std::byte> arguments;  // one behind the other
  void* data = nullptr;              // of a memset
  std::size_t bytes = 0;
  cudaGraphNode_t handle = nullptr;

  /// On the current device.
  static work_node of(const cuda::kernel_work& work);
  static work_node of_clear(void* data, std::size_t bytes);
  bool is_of(const cuda::kernel_work& work) const;
  /// Is of this kernel from now on, and the same node still.
  void become(const cuda::kernel_work& work);
};

using work_nodes = std::vector<work_node>;

/// Who sets memory to zero that work wants to be zero. One memset in front of a graph does it for all workspaces that
/// no two nodes share: nothing in a workspace is written before it is cleared, and nothing is cleared twice.
enum class clearing : std::uint8_t { in_place, in_front };

/// Adds nodes to a graph, each after the one before it; the first one after `after`.
class node_queue final : public cuda::work_queue {
 public:
  node_queue(cudaGraph_t g, std::vector<cudaGraphNode_t> after, work_nodes& made, clearing how = clearing::in_place)
      : graph_(g), after_(std::move(after)), made_(made), how_(how) {}
  void launch(const cuda::kernel_work& work) override;
  void clear(void* data, std::size_t bytes) override;

 private:
  cudaGraph_t graph_;
  std::vector<cudaGraphNode_t> after_;
  work_nodes& made_;
  clearing how_;
};

/// A memset that waits for nothing.
cudaGraphNode_t add_clearing(cudaGraph_t g, std::span<std::byte> memory);

/// Passes work on to a stream that is being captured, and remembers it. The handles are found by `find_handles`.
class recording_queue final : public cuda::work_queue {
 public:
  recording_queue(cudaStream_t stream, work_nodes& made) : stream_(stream), made_(made) {}
  void launch(const cuda::kernel_work& work) override;
  void clear(void* data, std::size_t bytes) override;

 private:
  cuda::stream_queue stream_;
  work_nodes& made_;
};

/// Handles of the nodes of a graph that is a chain, in its order.
std::vector<cudaGraphNode_t> chain_of(cudaGraph_t g);

/// Sets the nodes of an executable to other work of the same kinds, in the same order: nothing is done where the
/// arguments are what they were. Work that is running keeps what it has.
/// Throws: cuda_error if the driver refuses, and then some nodes are set and others not.
class update_queue final : public cuda::work_queue {
 public:
  update_queue(const executable& exec, std::span<work_node> nodes, clearing how = clearing::in_place)
      : exec_(exec), nodes_(nodes), how_(how) {}
  void launch(const cuda::kernel_work& work) override;
  void clear(void* data, std::size_t bytes) override;
  /// How many nodes were set.
  int changed() const noexcept { return changed_; }
  /// Whether the work was as long as the nodes are.
  bool complete() const noexcept { return next_ == nodes_.size(); }

 private:
  work_node* next(bool is_kernel);

  const executable& exec_;
  std::span<work_node> nodes_;
  clearing how_;
  std::size_t next_ = 0;
  int changed_ = 0;
};

}  // namespace multifold::inline v0_1::graphs
