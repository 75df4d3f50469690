// A graph as a picture of itself: what its nodes are and which wait for which. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/export.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::graphs {

enum class node_kind : std::uint8_t { kernel, memset, memcpy, condition, graph, empty, other };

MULTIFOLD_EXPORT const char* name(node_kind kind) noexcept;

struct node {
  node_kind kind = node_kind::kernel;
  std::string label;               // the kernel's name, or what is set or copied
  std::string shape;               // of a pass: "(1, 4294967296) -> (1 x 528, 8134408)"; empty where it is not known
  std::int64_t blocks = 0;         // kernels only, as is `threads`
  std::int64_t threads = 0;        // a block
  std::int64_t bytes = 0;          // read by a pass, set or copied; 0 where it is not known
  std::vector<std::size_t> after;  // nodes that this one waits for, by place, ascending
  std::vector<node> body;          // of a condition: what runs if it holds
};

/// Nodes in an order in which each comes after those it waits for.
struct topology {
  std::string title;
  std::vector<node> nodes;
};

/// What the GPU engine makes of `p`, node by node: a chain. `p` is a plan for that engine.
MULTIFOLD_EXPORT topology topology_of(const plan& p);

/// The same as CUDA's driver knows it: `p` is put into a graph on the current device, and the graph is asked. Nothing
/// is run, and of device memory only the workspace is taken. Throws: engine_error where there is no GPU; out_of_memory;
/// cuda_error.
MULTIFOLD_EXPORT topology driver_topology_of(const plan& p);

/// Whether both have the same nodes, of the same kinds and grids, with the same edges. Labels, shapes and bytes aside.
MULTIFOLD_EXPORT bool same_structure(const topology& a, const topology& b);

/// For Graphviz.
MULTIFOLD_EXPORT std::string to_dot(const topology& t);

/// A line a node.
MULTIFOLD_EXPORT std::string to_text(const topology& t);

}  // namespace multifold::inline v0_1::graphs
