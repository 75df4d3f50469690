// Plans for an H200, and what becomes of them on one line.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/graphs/topology.hpp"
#include "multifold/plan.hpp"

namespace multifold::graphs_tests {

inline constexpr std::int64_t huge = INT64_C(1) << 32;

inline plan plan_of(op_kind op, dtype type, const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& axes = {0}, const plan_options& forced = {},
                    const engine_traits& engine = h200_traits()) {
  const batches form = normalise(make_view(nullptr, type, extents), axes, order_of(op));
  return make_plan(make_reduction(op, type), form, forced, engine);
}

/// "memset arrivals | block_rows 528 x 512": the nodes, each of which has to wait for the one before it.
inline std::string chain_of(const plan& p) {
  const graphs::topology t = graphs::topology_of(p);
  std::string text;
  for (std::size_t i = 0; i < t.nodes.size(); ++i) {
    const graphs::node& n = t.nodes[i];
    EXPECT_EQ(n.after, i == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{i - 1});
    EXPECT_TRUE(n.body.empty());
    text += i == 0 ? "" : " | ";
    if (n.kind == graphs::node_kind::kernel) {
      text += n.label + " " + std::to_string(n.blocks) + " x " + std::to_string(n.threads);
    } else {
      EXPECT_EQ(n.blocks, 0);
      text += graphs::name(n.kind) + (" " + n.label);
    }
  }
  return text;
}

}  // namespace multifold::graphs_tests
