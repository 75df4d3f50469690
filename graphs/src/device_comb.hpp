// One executable of a stream graph: copies in a chain, reductions that hang off them, and slots that are used in turn.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device_nodes.hpp"
#include "multifold/array.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/plan.hpp"

namespace multifold::graphs {

/// What the graph works with. All of it is borrowed.
struct comb_memory {
  std::span<std::byte> slots;  // chunks, one behind the other; of two arrays side by side
  void* accumulator = nullptr;
  std::span<std::byte> workspaces;  // as many as there are chunks in a graph
};

class comb {
 public:
  /// `chunk` is the plan of a full chunk. Nodes are made with the start of `array`, which has `count` elements: copies
  /// keep the kind of memory that they are made with.
  comb(const plan& chunk, int slots, int chunks, const comb_memory& memory, const operands& array, std::int64_t count);

  /// The next launch reads elements [first, first + count) of `array`; at most `capacity()` of them.
  void set(const operands& array, std::int64_t first, std::int64_t count);
  /// Sleeps until the last launch has ended.
  void wait() const { ran_.synchronise(); }
  void launch(cudaStream_t stream) {
    exec_.launch(stream);
    ran_.record(stream);
  }

  std::int64_t capacity() const noexcept { return chunk_.form.length * static_cast<std::int64_t>(teeth_.size()); }
  cudaGraph_t graph_handle() const noexcept { return graph_.get(); }

 private:
  struct copy {
    cudaGraphNode_t handle = nullptr;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::int64_t bytes = 0;
  };
  struct tooth {
    std::vector<copy> copies;  // one an array
    work_nodes work;
    std::int64_t first = 0, length = 0;  // of the elements it is set to
    bool enabled = true;
  };

  graph built(int slots, int chunks, const operands& array, std::int64_t count);
  copy copy_of(const operands& array, int which, int slot, std::int64_t first, std::int64_t count) const;
  void reduce(std::size_t chunk, const plan& p, std::int64_t first, cuda::work_queue& queue) const;
  std::int64_t index_of(std::int64_t first) const;
  void enable(tooth& t, bool on);

  plan chunk_;
  int arrays_;
  std::size_t slots_;
  comb_memory memory_;
  std::vector<tooth> teeth_;
  graph graph_;
  executable exec_;
  cuda::event ran_{cuda::event::timing::off, cuda::event::waiting::sleep};
};

}  // namespace multifold::graphs
