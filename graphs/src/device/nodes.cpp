#include "nodes.hpp"

#include <cuda.h>

#include <cstring>
#include <utility>

#include "graph_calls.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;

cudaFunction_t loaded_on(int device, const void* function) {
  int current = 0;
  check(cudaGetDevice(&current));
  if (current != device) check(cudaSetDevice(device));
  cudaFunction_t loaded = nullptr;
  const cudaError_t code = cudaGetFuncBySymbol(&loaded, function);
  if (current != device) check(cudaSetDevice(current));
  check(code);
  return loaded;
}

// The driver's own call: two nodes take it 0.6 us, and the runtime's call 1.2, most of the rest to find the kernel
// among thousands. cudaKernel_t would have the driver find it, too: 1.0.
void set_kernel_node(cudaGraphExec_t exec, cudaGraphNode_t node, cudaFunction_t loaded, const cuda::kernel_work& work) {
  using call = CUresult(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*);
  static call* const set = [] {
    void* found = nullptr;
    check(calls::driver_function("cuGraphExecKernelNodeSetParams", &found));
    if (found == nullptr) throw cuda_error("the driver cannot change graphs", cudaErrorInsufficientDriver);
    return reinterpret_cast<call*>(found);
  }();
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = loaded;
  p.gridDimX = work.blocks;
  p.blockDimX = work.threads;
  p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.sharedMemBytes = work.shared_bytes;
  p.kernelParams = const_cast<void**>(work.arguments.data());
  check(static_cast<cudaError_t>(set(exec, node, &p)));  // both enumerations have the same numbers
}

cudaMemsetParams zeros(void* data, std::size_t bytes) {
  cudaMemsetParams p{};
  p.dst = data;
  p.elementSize = 1;
  p.width = bytes;
  p.height = 1;
  return p;
}

}  // namespace

work_node work_node::of(const cuda::kernel_work& work) {
  work_node n;
  check(cudaGetDevice(&n.device));
  n.become(work);
  return n;
}

void work_node::become(const cuda::kernel_work& work) {
  function = work.function;
  blocks = work.blocks;
  threads = work.threads;
  shared_bytes = work.shared_bytes;
  std::size_t all = 0;
  for (const std::size_t some : work.argument_bytes) all += some;
  arguments.resize(all);
  std::byte* to = arguments.data();
  for (std::size_t i = 0; i < work.arguments.size(); to += work.argument_bytes[i++]) {
    std::memcpy(to, work.arguments[i], work.argument_bytes[i]);
  }
}

work_node work_node::of_clear(void* data, std::size_t bytes) {
  work_node n;
  n.is_kernel = false;
  n.data = data;
  n.bytes = bytes;
  return n;
}

bool work_node::is_of(const cuda::kernel_work& work) const {
  if (function != work.function || blocks != work.blocks || threads != work.threads) return false;
  if (shared_bytes != work.shared_bytes) return false;
  const std::byte* at = arguments.data();
  for (std::size_t i = 0; i < work.arguments.size(); at += work.argument_bytes[i++]) {
    if (std::memcmp(at, work.arguments[i], work.argument_bytes[i]) != 0) return false;
  }
  return true;
}

// A kernel that may start early hangs off the kernel in front of it by an edge that lets it.
void node_queue::launch(const cuda::kernel_work& work) {
  cuda::allow_shared_bytes(work.function, work.shared_bytes);
  work_node n = work_node::of(work);
  cudaKernelNodeParams p{};
  p.func = const_cast<void*>(work.function);
  p.gridDim = dim3(work.blocks);
  p.blockDim = dim3(work.threads);
  p.sharedMemBytes = work.shared_bytes;
  p.kernelParams = const_cast<void**>(work.arguments.data());
  const bool early = work.early && !made_.empty() && made_.back().is_kernel && cuda::starts_early(work.function);
  check(cudaGraphAddKernelNode(&n.handle, graph_, after_.data(), early ? 0 : after_.size(), &p));
  if (early) {
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    check(calls::add_dependencies(graph_, after_.data(), &n.handle, &edge, 1));
  }
  after_ = {n.handle};
  made_.push_back(std::move(n));
}

void node_queue::clear(void* data, std::size_t bytes) {
  if (how_ == clearing::in_front) return;
  work_node n = work_node::of_clear(data, bytes);
  const cudaMemsetParams p = zeros(data, bytes);
  check(cudaGraphAddMemsetNode(&n.handle, graph_, after_.data(), after_.size(), &p));
  after_ = {n.handle};
  made_.push_back(std::move(n));
}

cudaGraphNode_t add_clearing(cudaGraph_t g, std::span<std::byte> memory) {
  cudaGraphNode_t node = nullptr;
  const cudaMemsetParams p = zeros(memory.data(), memory.size());
  check(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &p));
  return node;
}

void recording_queue::launch(const cuda::kernel_work& work) {
  stream_.launch(work);
  made_.push_back(work_node::of(work));
}

void recording_queue::clear(void* data, std::size_t bytes) {
  stream_.clear(data, bytes);
  made_.push_back(work_node::of_clear(data, bytes));
}

std::vector<cudaGraphNode_t> chain_of(cudaGraph_t g) {
  std::vector<cudaGraphNode_t> chain;
  cudaGraphNode_t at = nullptr;
  cudaGraphEdgeData edge{};
  std::size_t count = 1;
  check(cudaGraphGetRootNodes(g, &at, &count));
  while (count > 0) {
    chain.push_back(at);
    count = 1;
    check(calls::dependent_nodes(chain.back(), &at, &edge, &count));
  }
  return chain;
}

work_node* update_queue::next(bool is_kernel) {
  if (next_ == nodes_.size() || nodes_[next_].is_kernel != is_kernel) {
    throw unsupported_error("the work has other nodes than the graph: make a graph of its own for it");
  }
  return &nodes_[next_++];
}

void update_queue::launch(const cuda::kernel_work& work) {
  work_node& mine = *next(true);
  if (mine.is_of(work)) return;
  cuda::allow_shared_bytes(work.function, work.shared_bytes);
  const bool known = mine.loaded != nullptr && mine.function == work.function;
  const cudaFunction_t loaded = known ? mine.loaded : loaded_on(mine.device, work.function);
  set_kernel_node(exec_.get(), mine.handle, loaded, work);
  mine.become(work);
  mine.loaded = loaded;
  ++changed_;
}

void update_queue::clear(void* data, std::size_t bytes) {
  if (how_ == clearing::in_front) return;
  work_node& mine = *next(false);
  if (mine.data == data && mine.bytes == bytes) return;
  const cudaMemsetParams p = zeros(data, bytes);
  check(cudaGraphExecMemsetNodeSetParams(exec_.get(), mine.handle, &p));
  mine.data = data;
  mine.bytes = bytes;
  ++changed_;
}

}  // namespace multifold::inline v0_1::graphs
