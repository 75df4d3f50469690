// A plan's graph, made for nothing but to be looked at.
#include <string>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/graphs/topology.hpp"
#include "nodes.hpp"

namespace multifold::inline v0_1::graphs {

topology driver_topology_of(const plan& p) {
  std::string reason;
  if (!cuda::has_kernels(reason)) throw engine_error("there is no GPU to ask: " + reason);
  const cuda::device_buffer workspace(p.workspace_bytes());
  graph g;
  work_nodes made;
  node_queue queue(g.get(), {}, made);
  // Nodes know addresses, but nothing follows them: any that is aligned will do for the arrays and the results.
  cuda::reduce_async(p, {workspace.data(), workspace.data()}, workspace.data(), workspace.bytes(), queue);
  topology t = topology_of(g.get());
  t.title = topology_of(p).title + ", as the driver knows it";
  return t;
}

}  // namespace multifold::inline v0_1::graphs
