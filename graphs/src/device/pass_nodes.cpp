#include <string>
#include <utility>
#include <vector>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/capture.hpp"
#include "pass_nodes.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;

graph built(const plan& p, const operands& data, void* results, std::span<std::byte> workspace, work_nodes& nodes) {
  graph g;
  node_queue queue(g.get(), {}, nodes);
  cuda::reduce_async(p, data, results, workspace, queue);
  return g;
}

graph captured(const plan& p, const operands& data, void* results, std::span<std::byte> workspace, work_nodes& nodes) {
  const cuda::stream stream;
  capture_scope scope(stream.get());
  recording_queue queue(stream.get(), nodes);
  cuda::reduce_async(p, data, results, workspace, queue);
  graph g = scope.end();
  const std::vector<cudaGraphNode_t> chain = chain_of(g.get());
  if (chain.size() != nodes.size()) {
    throw cuda_error("CUDA captured " + std::to_string(chain.size()) + " nodes where " + std::to_string(nodes.size()) +
                         " were enqueued",
                     cudaErrorUnknown);
  }
  for (std::size_t i = 0; i < chain.size(); ++i) nodes[i].handle = chain[i];
  return g;
}

graph made(const plan& p, const operands& data, void* results, std::span<std::byte> workspace, const copy_back& last,
           build how, work_nodes& nodes) {
  graph g = (how == build::nodes ? built : captured)(p, data, results, workspace, nodes);
  if (last.bytes == 0) return g;
  std::vector<cudaGraphNode_t> after;
  if (!nodes.empty()) after.push_back(nodes.back().handle);
  cudaGraphNode_t copy = nullptr;
  check(cudaGraphAddMemcpyNode1D(&copy, g.get(), after.data(), after.size(), last.to, last.from,
                                 static_cast<std::size_t>(last.bytes), cudaMemcpyDeviceToHost));
  return g;
}

}  // namespace

pass_nodes::pass_nodes(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                       const copy_back& last, build how)
    : plan_(p),
      data_(data),
      results_(results),
      workspace_(workspace),
      graph_(made(plan_, data, results, workspace, last, how, nodes_)),
      exec_(graph_) {}

void pass_nodes::set(const plan& p, const operands& data, void* results) {
  update_queue queue(exec_, nodes_);
  cuda::reduce_async(p, data, results, workspace_, queue);
  nodes_set_ += queue.changed();
  if (!queue.complete()) throw unsupported_error("the graph has more nodes than the work: make a graph of its own");
}

void pass_nodes::rebind(const plan& p, const operands& data, void* results) {
  if (&p == &plan_ && data.x == data_.x && data.y == data_.y && results == results_) return;
  try {
    set(p, data, results);
  } catch (...) {
    void* const before = std::exchange(results_, nullptr);  // or a second failure would pass for having set them
    set(plan_, data_, before);
    results_ = before;
    throw;
  }
  if (&p != &plan_) plan_ = p;
  data_ = data;
  results_ = results;
}

}  // namespace multifold::inline v0_1::graphs
