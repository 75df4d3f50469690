// Calls of the CUDA runtime that changed their signatures between CUDA 12.4 and 13, under one name each.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#if CUDART_VERSION < 12040
#error "multifold's graphs need CUDA 12.4 or newer"
#endif

namespace multifold::inline v0_1::graphs::calls {

/// An edge for each of `count` pairs of nodes.
inline cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                    const cudaGraphEdgeData* edges, std::size_t count) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies(graph, from, to, edges, count);
#else
  return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
#endif
}

/// Nodes that hang off `node`; `count` has room for so many, and says how many there are.
inline cudaError_t dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                   std::size_t* count) {
#if CUDART_VERSION >= 13000
  return cudaGraphNodeGetDependentNodes(node, nodes, edges, count);
#else
  return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
#endif
}

/// All edges of `graph`; `count` has room for so many, and says how many there are.
inline cudaError_t all_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                             std::size_t* count) {
#if CUDART_VERSION >= 13000
  return cudaGraphGetEdges(graph, from, to, edges, count);
#else
  return cudaGraphGetEdges_v2(graph, from, to, edges, count);
#endif
}

/// The driver's function `name` as it is since CUDA 12.0; null if the driver has none.
inline cudaError_t driver_function(const char* name, void** found) {
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  return cudaGetDriverEntryPointByVersion(name, found, 12000, cudaEnableDefault, &result);
#else
  return cudaGetDriverEntryPoint(name, found, cudaEnableDefault, &result);
#endif
}

/// The device that `stream` belongs to.
inline cudaError_t stream_device(cudaStream_t stream, int* device) {
#if CUDART_VERSION >= 12080
  return cudaStreamGetDevice(stream, device);
#else
  void *of_stream = nullptr, *push = nullptr, *of_context = nullptr, *pop = nullptr;
  for (const auto& [name, found] : {std::pair{"cuStreamGetCtx", &of_stream}, std::pair{"cuCtxPushCurrent", &push},
                                    std::pair{"cuCtxGetDevice", &of_context}, std::pair{"cuCtxPopCurrent", &pop}}) {
    if (const cudaError_t code = driver_function(name, found); code != cudaSuccess) return code;
    if (*found == nullptr) return cudaErrorInsufficientDriver;
  }
  // Both enumerations of errors have the same numbers.
  CUcontext context = nullptr;
  CUresult result = reinterpret_cast<CUresult (*)(CUstream, CUcontext*)>(of_stream)(stream, &context);
  if (result != CUDA_SUCCESS) return static_cast<cudaError_t>(result);
  result = reinterpret_cast<CUresult (*)(CUcontext)>(push)(context);
  if (result != CUDA_SUCCESS) return static_cast<cudaError_t>(result);
  result = reinterpret_cast<CUresult (*)(CUdevice*)>(of_context)(device);
  reinterpret_cast<CUresult (*)(CUcontext*)>(pop)(&context);
  return static_cast<cudaError_t>(result);
#endif
}

}  // namespace multifold::inline v0_1::graphs::calls
