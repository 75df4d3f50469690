// A graph as the driver knows it.
#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph_calls.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;
using handles = std::vector<cudaGraphNode_t>;

// "void multifold::cuda::exact::bin_rows<float, ...>(...)" to "bin_rows".
std::string short_name(std::string text) {
  const std::size_t end = text.find_first_of("<(");
  if (end != std::string::npos) text.erase(end);
  const std::size_t start = text.find_last_of(": ");
  return start == std::string::npos ? text : text.substr(start + 1);
}

std::string name_of(void* function) {
  const char* mangled = nullptr;
  if (const cudaError_t code = cudaFuncGetName(&mangled, function); code != cudaSuccess) {
    cuda::forget(code);
    return "kernel";
  }
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(mangled, nullptr, nullptr, &failed),
                                                          &std::free);
  return short_name(failed == 0 ? plain.get() : mangled);
}

void describe_kernel(cudaGraphNode_t handle, node& n) {
  cudaKernelNodeParams p{};
  check(cudaGraphKernelNodeGetParams(handle, &p));
  n.kind = node_kind::kernel;
  n.label = name_of(p.func);
  n.blocks = std::int64_t{p.gridDim.x} * p.gridDim.y * p.gridDim.z;
  n.threads = std::int64_t{p.blockDim.x} * p.blockDim.y * p.blockDim.z;
}

void describe_memset(cudaGraphNode_t handle, node& n) {
  cudaMemsetParams p{};
  check(cudaGraphMemsetNodeGetParams(handle, &p));
  n.kind = node_kind::memset;
  n.label = "memset";
  n.bytes = static_cast<std::int64_t>(p.elementSize * p.width * std::max<std::size_t>(p.height, 1));
}

void describe_memcpy(cudaGraphNode_t handle, node& n) {
  cudaMemcpy3DParms p{};
  check(cudaGraphMemcpyNodeGetParams(handle, &p));
  n.kind = node_kind::memcpy;
  n.label = p.kind == cudaMemcpyHostToDevice   ? "to the device"
            : p.kind == cudaMemcpyDeviceToHost ? "to the host"
                                               : "copy";
  n.bytes = static_cast<std::int64_t>(p.extent.width * p.extent.height * p.extent.depth);
}

node describe(cudaGraphNode_t handle) {
  node n;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  check(cudaGraphNodeGetType(handle, &type));
  // CUDA has more of them from version to version.
  if (type == cudaGraphNodeTypeKernel) describe_kernel(handle, n);
  else if (type == cudaGraphNodeTypeMemset) describe_memset(handle, n);
  else if (type == cudaGraphNodeTypeMemcpy) describe_memcpy(handle, n);
  else if (type == cudaGraphNodeTypeConditional) n.kind = node_kind::condition;
  else if (type == cudaGraphNodeTypeGraph) n.kind = node_kind::graph;
  else if (type == cudaGraphNodeTypeEmpty) n.kind = node_kind::empty;
  else n.kind = node_kind::other;
  if (n.label.empty()) n.label = name(n.kind);
  return n;
}

handles nodes_of(cudaGraph_t g) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(g, nullptr, &count));
  handles all(count);
  if (count > 0) check(cudaGraphGetNodes(g, all.data(), &count));
  return all;
}

// For every node the places of those that it waits for.
std::vector<std::vector<std::size_t>> edges_of(cudaGraph_t g, const handles& all) {
  std::map<cudaGraphNode_t, std::size_t> place;
  for (std::size_t i = 0; i < all.size(); ++i) place[all[i]] = i;
  std::size_t count = 0;
  check(calls::all_edges(g, nullptr, nullptr, nullptr, &count));
  handles from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (count > 0) check(calls::all_edges(g, from.data(), to.data(), data.data(), &count));
  std::vector<std::vector<std::size_t>> after(all.size());
  for (std::size_t i = 0; i < count; ++i) after[place[to[i]]].push_back(place[from[i]]);
  return after;
}

// Places in an order in which each comes after those it waits for; among those that are ready, as they were made.
std::vector<std::size_t> sorted(const std::vector<std::vector<std::size_t>>& after) {
  std::vector<std::size_t> order, left(after.size());
  std::vector<std::vector<std::size_t>> before(after.size());
  std::vector<bool> done(after.size(), false);
  for (std::size_t i = 0; i < after.size(); ++i) {
    left[i] = after[i].size();
    for (const std::size_t j : after[i]) before[j].push_back(i);
  }
  while (order.size() < after.size()) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (done[i] || left[i] > 0) continue;
      done[i] = true;
      order.push_back(i);
      for (const std::size_t j : before[i]) --left[j];
    }
  }
  return order;
}

}  // namespace

topology topology_of(cudaGraph_t g) {
  const handles all = nodes_of(g);
  const auto after = edges_of(g, all);
  const std::vector<std::size_t> order = sorted(after);
  std::vector<std::size_t> place(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  topology t;
  t.title = "as the driver has it";
  for (const std::size_t i : order) {
    node n = describe(all[i]);
    for (const std::size_t j : after[i]) n.after.push_back(place[j]);
    std::sort(n.after.begin(), n.after.end());
    t.nodes.push_back(std::move(n));
  }
  return t;
}

}  // namespace multifold::inline v0_1::graphs
