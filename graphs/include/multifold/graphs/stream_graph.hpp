// Arrays in pinned memory through a graph of copies and reductions: a comb, whose back keeps the copy engine busy.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::graphs {

struct stream_graph_options {
  std::int64_t chunk_bytes = INT64_C(16) << 20;  // of each array; 16 MiB reach 99 % of a PCIe 5 link
  int copies = 4;                                // a reduction: chunks that are reduced together
  int slots = 2;                                 // of so many chunks, on the device at once; at least 2
  int chunks = 512;                              // a graph, at most
};

/// Reduces one row in pinned host memory, or two rows of the same length, in chunks.
///
/// Graph:   every chunk is copied after the one before it, and the first of a slot once that has been reduced; a
///          reduction hangs off the last copy into a slot and merges all of it into one accumulator. Two executables
///          alternate: one is set to the next range of the array while the other runs.
/// Memory:  `slots` times `copies` chunks of device memory, an accumulator and workspaces. Nothing is allocated after
///          the first run.
/// Numerics: as the GPU engine's, whatever the chunks.
/// Cost:    2.5 us of CPU time a chunk, the driver's for launching its nodes, and 2 us to set one to another place than
///          the last time: 0.8 and 2 % of a core beside a PCIe 5 link. Streams and events take 4 %; a reduction for
///          every chunk takes a fifth more than one for every four.
/// Threads: one at a time. The host sleeps while the device works.
class MULTIFOLD_EXPORT stream_graph {
 public:
  /// For up to `capacity` elements on the current device.
  stream_graph(const reduction& what, std::int64_t capacity, const stream_graph_options& options = {});
  stream_graph(stream_graph&&) noexcept;
  stream_graph& operator=(stream_graph&&) noexcept;
  ~stream_graph();

  /// The result over `count` elements into host memory of result_bytes(what).
  /// Stream: begins after what is on `after` now (null: at once), on a stream of its own, and waits for the result.
  /// Throws: unsupported_error for arrays that are not pinned, for a stream that is being captured, or if the graph was
  ///         moved away; shape_error for more
  ///         elements than the capacity, or none where that has no value; overflow_error; cuda_error.
  void run(const operands& pinned, std::int64_t count, void* result, cuda::stream_handle after = {});

  /// One of the two graphs as the driver knows it.
  topology driver_topology() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace multifold::inline v0_1::graphs
