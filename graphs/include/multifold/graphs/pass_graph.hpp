// The passes of a plan as a CUDA graph of their own, to be launched again and again.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::graphs {

/// How nodes are made. Both ways give the same nodes and edges.
enum class build : std::uint8_t {
  nodes,    // one by one, by the graph API
  capture,  // from a stream of the graph's own, in thread-local mode
};

/// A reduction as a graph: what reduce_async would enqueue, in one launch.
///
/// Shapes:    `data` and `results` as for reduce_async.
/// Memory:    the graph keeps the addresses of `data` and `results`, which stay the caller's: who frees them has to
///            rebind or destroy the graph first, because nothing can see that they are gone. The workspace is the
///            graph's own, or the caller's; then the caller keeps it as long as the graph.
/// Stream:    `launch` enqueues on any stream of the graph's device. Launches of one graph wait for each other; graphs
///            that shall overlap are copies, each with a workspace. A graph may be moved, copied and destroyed while it
///            runs; destroying it waits for it if the workspace is its own.
/// Threads:   one at a time.
/// Numerics:  as reduce_async.
/// Throws:    unsupported_error for memory of another device or of none, or a stream of another device; shape_error for
///            a bad workspace or alignment; as reduce_async otherwise. After an error of rebind or resize the graph is
///            as it was.
class MULTIFOLD_EXPORT pass_graph {
 public:
  /// Allocates p.workspace_bytes() on the current device.
  pass_graph(const plan& p, const operands& data, void* results, build how = build::nodes);
  pass_graph(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
             build how = build::nodes);
  pass_graph(pass_graph&& other) noexcept;
  pass_graph& operator=(pass_graph&& other) noexcept;
  /// A graph with a workspace of its own.
  pass_graph(const pass_graph& other);
  pass_graph& operator=(const pass_graph& other);
  ~pass_graph();

  /// Sends to the device what the first launch would have to send.
  void upload(cuda::stream_handle stream) const;
  void launch(cuda::stream_handle stream) const;

  /// Launches from now on read and write other arrays. Sets arguments of nodes; nothing is instantiated.
  /// Cost: below 1 us of the host a node, and nothing where arguments stay as they were. A descriptor in mapped memory,
  ///       which would need no call, made every launch 3 us longer on an H200, and one that a node copies 1.5 us.
  void rebind(const operands& data, void* results);
  /// Launches from now on reduce the first `length` elements: of plans with one row, up to the length they were made
  /// for. As rebind.
  void resize(std::int64_t length);

  /// The plan as it is run now.
  const plan& current() const;
  /// How the last launch went; synchronises `stream`.
  status status_of(cuda::stream_handle stream) const;
  /// The graph as the driver knows it.
  topology driver_topology() const;
  /// How many nodes rebind and resize have set so far.
  std::int64_t nodes_set() const;

 private:
  struct state;
  state& mine() const;

  std::unique_ptr<state> state_;
};

}  // namespace multifold::inline v0_1::graphs
