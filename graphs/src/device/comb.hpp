// One executable of a stream graph: copies in a chain, a reduction that hangs off every few of them, and slots that are
// used in turn.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/plan.hpp"
#include "nodes.hpp"

namespace multifold::inline v0_1::graphs {

/// What the graph works with. All of it is borrowed.
struct comb_memory {
  std::span<std::byte> slots;  // one behind the other; of two arrays side by side
  void* accumulator = nullptr;
  std::span<std::byte> workspaces;  // one a tooth
};

/// Sizes of a comb.
struct comb_shape {
  int slots;            // teeth that are on the device at once
  int teeth;            // reductions
  std::int64_t copied;  // elements of a copy
};

class comb {
 public:
  /// `full` is the plan of a tooth that reduces all of its slot. Nodes are made with the start of `array`, which has
  /// `count` elements: copies keep the kind of memory that they are made with.
  comb(const plan& full, const comb_shape& shape, const comb_memory& memory, const operands& array, std::int64_t count);

  /// The next launch reads elements [first, first + count) of `array`; at most `capacity()` of them.
  void set(const operands& array, std::int64_t first, std::int64_t count);
  /// Sleeps until the last launch has ended.
  void wait() const { ran_.synchronise(); }
  void launch(cudaStream_t stream) {
    exec_.launch(stream);
    ran_.record(stream);
  }

  std::int64_t capacity() const noexcept { return plan_.form.length * static_cast<std::int64_t>(teeth_.size()); }
  cudaGraph_t graph_handle() const noexcept { return graph_.get(); }

 private:
  struct copy {
    cudaGraphNode_t handle = nullptr;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::int64_t bytes = 0;
    bool enabled = true;
  };
  struct tooth {
    std::vector<copy> copies;  // of one array after the other
    work_nodes work;
    std::int64_t first = 0, length = 0;  // of the elements it is set to
    bool enabled = true;
  };

  graph built(const operands& array, std::int64_t count);
  copy copy_of(const operands& array, std::size_t index, std::size_t number, std::int64_t first,
               std::int64_t length) const;
  void set_copy(copy& had, const copy& wanted);
  void reduce(std::size_t index, const plan& p, std::int64_t first, cuda::work_queue& queue) const;
  std::int64_t index_of(std::int64_t first) const;
  void enable(tooth& t, bool on);

  plan plan_;
  int arrays_;
  comb_shape shape_;
  std::size_t copies_;  // of each array, a tooth
  comb_memory memory_;
  std::vector<tooth> teeth_;
  graph graph_;
  executable exec_;
  cuda::event ran_{cuda::event::timing::off, cuda::event::waiting::sleep};
};

}  // namespace multifold::inline v0_1::graphs
