#include "multifold/graphs/pass_graph.hpp"

#include <string>
#include <utility>

#include "graph_calls.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/graph.hpp"
#include "pass_nodes.hpp"
#include "places.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;

const plan& checked(const plan& p, const operands& data, const void* results, int device) {
  check_places(p, data, results, device);
  return p;
}

}  // namespace

struct pass_graph::state {
  state(const plan& p, const operands& data, void* results, std::span<std::byte> given, build way)
      : capacity(p),
        how(way),
        device(current_device()),
        own(given.data() == nullptr ? p.workspace_bytes() : 0),
        nodes(checked(p, data, results, device), data, results, own.size() > 0 ? own.bytes() : given, {}, way) {}

  plan capacity;
  build how;
  int device;
  cuda::device_buffer own;
  pass_nodes nodes;
};

pass_graph::pass_graph(const plan& p, const operands& data, void* results, build how)
    : state_(std::make_unique<state>(p, data, results, std::span<std::byte>{}, how)) {}

pass_graph::pass_graph(const plan& p, const operands& data, void* results, std::span<std::byte> workspace, build how) {
  if (workspace.data() == nullptr) throw shape_error("the plan needs a workspace, and none was given");
  check_place("workspace", workspace.data(), current_device());
  state_ = std::make_unique<state>(p, data, results, workspace, how);
}

pass_graph::pass_graph(pass_graph&& other) noexcept = default;
pass_graph& pass_graph::operator=(pass_graph&& other) noexcept = default;
pass_graph::~pass_graph() = default;

pass_graph::pass_graph(const pass_graph& other)
    : pass_graph(other.mine().capacity, other.mine().nodes.data(), other.mine().nodes.results(), other.mine().how) {
  if (!(other.current() == current())) resize(other.current().form.length);
}

pass_graph& pass_graph::operator=(const pass_graph& other) {
  if (this != &other) *this = pass_graph(other);
  return *this;
}

pass_graph::state& pass_graph::mine() const {
  if (!state_) throw unsupported_error("the graph was moved away: nothing is left to launch or change");
  return *state_;
}

const plan& pass_graph::current() const { return mine().nodes.current(); }

void pass_graph::upload(cuda::stream_handle stream) const { mine().nodes.upload(stream); }

void pass_graph::launch(cuda::stream_handle stream) const {
  const state& s = mine();
  int device = s.device;
  check(calls::stream_device(stream.get(), &device));
  if (device != s.device) {
    throw unsupported_error("the stream belongs to device " + std::to_string(device) + ", and the graph to device " +
                            std::to_string(s.device));
  }
  s.nodes.launch(stream);
}

void pass_graph::rebind(const operands& data, void* results) {
  state& s = mine();
  check_places(s.nodes.current(), data, results, s.device);
  s.nodes.rebind(s.nodes.current(), data, results);
}

void pass_graph::resize(std::int64_t length) {
  state& s = mine();
  const plan smaller = resized(s.capacity, length);
  s.nodes.rebind(smaller, s.nodes.data(), s.nodes.results());
}

status pass_graph::status_of(cuda::stream_handle stream) const {
  return cuda::status_of(mine().nodes.workspace(), stream.get());
}

topology pass_graph::driver_topology() const {
  topology t = topology_of(mine().nodes.graph_handle());
  t.title = topology_of(current()).title + ", " + t.title;
  return t;
}

std::int64_t pass_graph::nodes_set() const { return mine().nodes.nodes_set(); }

}  // namespace multifold::inline v0_1::graphs
