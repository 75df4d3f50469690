// The passes of a plan as an executable whose nodes can be set to other arrays and lengths.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "multifold/array.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/graphs/pass_graph.hpp"
#include "multifold/plan.hpp"
#include "nodes.hpp"

namespace multifold::inline v0_1::graphs {

/// A last node that copies from device memory to pinned memory; none if there are no bytes.
struct copy_back {
  void* to = nullptr;
  const void* from = nullptr;
  std::int64_t bytes = 0;
};

/// Borrows everything it is given. Work that is running keeps the arguments it was launched with.
class pass_nodes {
 public:
  pass_nodes(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
             const copy_back& last = {}, build how = build::nodes);

  /// Sets the nodes to a plan with the same nodes, over other arrays. If that fails they are as they were.
  void rebind(const plan& p, const operands& data, void* results);

  void upload(cuda::stream_handle stream) const { exec_.upload(stream); }
  void launch(cuda::stream_handle stream) const { exec_.launch(stream); }

  const plan& current() const noexcept { return plan_; }
  const operands& data() const noexcept { return data_; }
  void* results() const noexcept { return results_; }
  std::span<std::byte> workspace() const noexcept { return workspace_; }
  cudaGraph_t graph_handle() const noexcept { return graph_.get(); }
  std::int64_t nodes_set() const noexcept { return nodes_set_; }

 private:
  void set(const plan& p, const operands& data, void* results);

  plan plan_;
  operands data_;
  void* results_;
  std::span<std::byte> workspace_;
  work_nodes nodes_;
  graph graph_;
  executable exec_;
  std::int64_t nodes_set_ = 0;
};

}  // namespace multifold::inline v0_1::graphs
