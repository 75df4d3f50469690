#include "multifold/graphs/batch_graph.hpp"

#include <algorithm>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/graph.hpp"
#include "nodes.hpp"
#include "places.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Every item has a status of its own, so workspaces are not shared by neighbours of a branch: those of small problems
// are small. One memset clears them all.
struct batch_graph::state {
  state(const std::vector<batch_item>& items, int branches) {
    if (branches < 1) throw shape_error("a graph of reductions has 1 branch at least");
    const int device = current_device();
    std::int64_t bytes = 0;
    for (const batch_item& item : items) {
      check_places(item.p, item.data, item.results, device);
      starts.push_back(bytes);
      bytes += rounded_up(item.p.workspace_bytes());
    }
    starts.push_back(bytes);
    memory = cuda::device_buffer(bytes);
    cudaGraphNode_t cleared = nullptr;
    if (!items.empty()) cleared = add_clearing(nodes.get(), memory.bytes());
    std::vector<cudaGraphNode_t> last(std::min(static_cast<std::size_t>(branches), items.size()), cleared);
    for (std::size_t i = 0; i < items.size(); ++i) {
      cudaGraphNode_t& before = last[i % last.size()];
      work_nodes made;
      node_queue queue(nodes.get(), {before}, made, clearing::in_front);
      cuda::reduce_async(items[i].p, items[i].data, items[i].results, workspace(i), queue);
      if (!made.empty()) before = made.back().handle;
    }
    exec = std::make_unique<executable>(nodes);
  }

  std::span<std::byte> workspace(std::size_t i) const {
    return memory.bytes().subspan(static_cast<std::size_t>(starts[i]),
                                  static_cast<std::size_t>(starts[i + 1] - starts[i]));
  }

  std::vector<std::int64_t> starts;
  cuda::device_buffer memory;
  graph nodes;
  std::unique_ptr<executable> exec;
};

batch_graph::batch_graph(const std::vector<batch_item>& items, int branches)
    : state_(std::make_unique<state>(items, branches)) {}
batch_graph::batch_graph(batch_graph&&) noexcept = default;
batch_graph& batch_graph::operator=(batch_graph&&) noexcept = default;
batch_graph::~batch_graph() = default;

const batch_graph::state& batch_graph::mine() const {
  if (!state_) throw unsupported_error("the graph was moved away: nothing is left to launch");
  return *state_;
}

void batch_graph::upload(cuda::stream_handle stream) const { mine().exec->upload(stream); }
void batch_graph::launch(cuda::stream_handle stream) const { mine().exec->launch(stream); }

status batch_graph::status_of(std::size_t index, cuda::stream_handle stream) const {
  return cuda::status_of(mine().workspace(index), stream.get());
}

topology batch_graph::driver_topology() const { return topology_of(mine().nodes.get()); }

}  // namespace multifold::inline v0_1::graphs
