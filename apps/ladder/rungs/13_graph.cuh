// Rung 13: the launches as a CUDA graph.
//
// Each launch is some microseconds of work for the CPU, and a short pause for the GPU. A stream can be captured: what
// is enqueued on it meanwhile does not run but becomes the nodes of a graph, with an edge wherever one has to wait for
// another. Checked and prepared once, the graph is launched as often as it is wanted, with a single call for all of its
// kernels. The addresses and lengths are those of the capture.
// Defect: a graph is worth its preparation only if it is launched again and again, and most where kernels are short.
// The array is in the GPU's memory already; that is not where data comes from.
// Next: the array is in the host's memory (13_host_array.cuh).
#pragma once

#include <memory>

#include "11_vectors.cuh"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::ladder::gpu {

/// The launches of rung 11 as one.
template <class Op>
std::shared_ptr<graphs::executable> graph_of_vectors(const run<Op>& r) {
  graphs::capture_scope scope(r.stream);
  launch_vectors(r);
  auto graph = std::make_shared<graphs::executable>(scope.end());
  graph->upload(r.stream);
  return graph;
}

}  // namespace multifold::ladder::gpu
