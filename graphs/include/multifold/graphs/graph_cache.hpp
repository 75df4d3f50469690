// Graphs of reductions that were run before, ready for the same problem to come again.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::graphs {

/// How large a cache may become.
struct cache_limits {
  std::size_t graphs = 16;
  std::int64_t graph_bytes = INT64_C(1) << 20;  // of device memory, for one graph
};

/// Executables by device, stream and plan. Each has a workspace and a place for the results of its own, so that threads
/// with the same problem run side by side, each on a stream of its own.
///
/// A problem that is seen for the first time is only remembered, because a graph costs more to make than one launch
/// saves. The least recently used graph makes room for a new one.
/// Threads: any number at a time.
class MULTIFOLD_EXPORT graph_cache {
 public:
  explicit graph_cache(const cache_limits& limits = {});
  ~graph_cache();

  /// Runs `p` over device arrays, and waits for the results, which go to host memory.
  /// Returns false, having done nothing, where there is no graph and none is made: run the plan another way.
  /// Stream: runs on `after`, behind what is there now.
  /// Cost:   one launch. A single result that cannot fail, of up to 8 bytes, is awaited in pinned memory, which takes
  ///         less than the end of its kernel.
  /// Throws: as reduce_async, check_status and pass_graph do.
  bool run(const plan& p, const operands& data, void* host_results, cuda::stream_handle after = cudaStreamLegacy);

  /// Graphs that are held and not in use.
  std::size_t size() const;
  /// Destroys those.
  void clear();

 private:
  struct entry;

  std::unique_ptr<entry> take(int device, const plan& p, cudaStream_t after);
  bool seen_before(int device, const plan& p);
  void keep(std::unique_ptr<entry> e);

  const cache_limits limits_;
  mutable std::mutex mutex_;
  std::list<std::unique_ptr<entry>> idle_;  // the last one used first
  std::vector<std::uint64_t> seen_;         // hashes of plans, in a ring
  std::size_t next_seen_ = 0;
};

}  // namespace multifold::inline v0_1::graphs
