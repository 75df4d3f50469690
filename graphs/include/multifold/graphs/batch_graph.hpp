// Independent reductions in one launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::graphs {

/// One of them, as for reduce_async.
struct batch_item {
  plan p;
  operands data;
  void* results = nullptr;
};

/// Many small reductions as one graph. They are dealt to branches that run side by side; inside a branch they follow
/// each other. A stream would run all of them one after the other, each on a few of the SMs.
///
/// Memory:  addresses are kept as in pass_graph; workspaces, one an item, are the graph's own.
/// Stream:  any of the graph's device. Launches of one graph wait for each other.
/// Numerics: as reduce_async.
/// Throws:  as pass_graph does.
/// Cost:    a launch for all of them; making it, some microseconds an item.
class MULTIFOLD_EXPORT batch_graph {
 public:
  explicit batch_graph(const std::vector<batch_item>& items, int branches = 16);
  batch_graph(batch_graph&&) noexcept;
  batch_graph& operator=(batch_graph&&) noexcept;
  ~batch_graph();

  void upload(cuda::stream_handle stream) const;
  void launch(cuda::stream_handle stream) const;
  /// How item `index` went in the last launch; synchronises `stream`.
  status status_of(std::size_t index, cuda::stream_handle stream) const;
  topology driver_topology() const;

 private:
  struct state;
  const state& mine() const;

  std::unique_ptr<state> state_;
};

}  // namespace multifold::inline v0_1::graphs
