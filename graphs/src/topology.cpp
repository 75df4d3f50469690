// Topologies compared, and as text.
#include "multifold/graphs/topology.hpp"

#include <algorithm>
#include <string>

namespace multifold::inline v0_1::graphs {
namespace {

bool same_nodes(const std::vector<node>& a, const std::vector<node>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const node& x, const node& y) {
    return x.kind == y.kind && x.blocks == y.blocks && x.threads == y.threads && x.after == y.after &&
           same_nodes(x.body, y.body);
  });
}

}  // namespace

const char* name(node_kind kind) noexcept {
  switch (kind) {
    case node_kind::kernel: return "kernel";
    case node_kind::memset: return "memset";
    case node_kind::memcpy: return "memcpy";
    case node_kind::condition: return "condition";
    case node_kind::graph: return "graph";
    case node_kind::empty: return "empty";
    case node_kind::other: break;
  }
  return "other";
}

bool same_structure(const topology& a, const topology& b) { return same_nodes(a.nodes, b.nodes); }

}  // namespace multifold::inline v0_1::graphs
