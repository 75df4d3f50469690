// Topologies as people and as Graphviz read them, word for word.
#include <gtest/gtest.h>

#include <string>

#include "graphs/chains.hpp"
#include "multifold/graphs/topology.hpp"

namespace multifold::graphs_tests {
namespace {

using graphs::node_kind;

// A kernel after a memset, then a condition with two kernels, and a copy after both of them.
graphs::topology with_a_condition() {
  graphs::node clear, first, condition, again, store, copy;
  clear.kind = node_kind::memset;
  clear.label = "status";
  clear.bytes = 4;
  first.label = "bin_rows";
  first.shape = "(1, 4096) -> (1 x 1, 4096)";
  first.blocks = 1;
  first.threads = 512;
  first.bytes = 16384;
  first.after = {0};
  condition.kind = node_kind::condition;
  condition.label = "if batches are lost";
  condition.after = {1};
  again.label = "add_again";
  again.blocks = 528;
  again.threads = 256;
  store = again;
  store.label = "store";
  store.after = {0};
  condition.body = {again, store};
  copy.kind = node_kind::memcpy;
  copy.label = "result";
  copy.bytes = 8;
  copy.after = {1, 2};
  return {"a sum", {clear, first, condition, copy}};
}

TEST(to_text, has_a_line_a_node) {
  EXPECT_EQ(
      graphs::to_text(graphs::topology_of(plan_of(op_kind::sum, dtype::f64, {huge}))),
      "sum of f64 on NVIDIA H200\n"
      "node  kind    label                          shape                                   grid       bytes    after\n"
      "1     memset  sums, arrivals, marks, claims                                                     1.3 KiB\n"
      "2     kernel  pair_rows                      (1, 4294967296) -> (1 x 264, 16293888)  264 x 512  32 GiB   1\n"
      "3     kernel  wide_rows                                                              132 x 192           2\n");
}

TEST(to_text, numbers_what_a_condition_runs) {
  EXPECT_EQ(graphs::to_text(with_a_condition()),
            "a sum\n"
            "node  kind       label                shape                       grid       bytes   after\n"
            "1     memset     status                                                      4 B\n"
            "2     kernel     bin_rows             (1, 4096) -> (1 x 1, 4096)  1 x 512    16 KiB  1\n"
            "3     condition  if batches are lost                                                 2\n"
            "3.1   kernel     add_again                                        528 x 256\n"
            "3.2   kernel     store                                            528 x 256          3.1\n"
            "4     memcpy     result                                                      8 B     2, 3\n");
}

TEST(to_text, of_nothing) { EXPECT_EQ(graphs::to_text({"a sum", {}}), "a sum\nno nodes: there is nothing to run\n"); }

TEST(to_dot, frames_what_a_condition_runs) {
  const std::string dot = graphs::to_dot(with_a_condition());
  ASSERT_TRUE(dot.starts_with("digraph multifold {\n  label=\"a sum\";\n"));
  EXPECT_EQ(dot.substr(dot.find("  n1 [")),
            "  n1 [label=\"1  memset\\nstatus\\n4 B\", fillcolor=\"#e8e8e8\"];\n"
            "  n2 [label=\"2  kernel\\nbin_rows\\n(1, 4096) -> (1 x 1, 4096)\\n1 block x 512 threads\\n16 KiB\", "
            "fillcolor=\"#dcebd3\"];\n"
            "  subgraph cluster_n3 {\n"
            "    label=\"\";\n"
            "    style=dashed;\n"
            "    n3 [label=\"3  condition\\nif batches are lost\", shape=diamond, fillcolor=\"#f9e9c8\"];\n"
            "    n3_1 [label=\"3.1  kernel\\nadd_again\\n528 blocks x 256 threads\", fillcolor=\"#dcebd3\"];\n"
            "    n3_2 [label=\"3.2  kernel\\nstore\\n528 blocks x 256 threads\", fillcolor=\"#dcebd3\"];\n"
            "    n3_1 -> n3_2;\n"
            "    n3 -> n3_1 [style=dashed];\n"
            "  }\n"
            "  n4 [label=\"4  memcpy\\nresult\\n8 B\", fillcolor=\"#d8e6f3\"];\n"
            "  n1 -> n2;\n"
            "  n2 -> n3;\n"
            "  n2 -> n4;\n"
            "  n3_2 -> n4 [ltail=cluster_n3];\n"
            "}\n");
}

TEST(to_dot, escapes_what_labels_hold) {
  graphs::node n;
  n.label = "fold<\"a\\N\",\n{1}>";
  const std::string dot = graphs::to_dot({"of \"x\"", {n}});
  EXPECT_NE(dot.find("label=\"of \\\"x\\\"\";"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"1  kernel\\nfold<\\\"a\\\\N\\\", {1}>\","), std::string::npos) << dot;
}

TEST(to_dot, of_nothing_is_a_graph_without_nodes) {
  const std::string dot = graphs::to_dot({"a sum", {}});
  EXPECT_TRUE(dot.starts_with("digraph multifold {\n") && dot.ends_with("}\n"));
  EXPECT_EQ(dot.find("n1"), std::string::npos);
}

TEST(node_kind, names) {
  EXPECT_STREQ(graphs::name(node_kind::kernel), "kernel");
  EXPECT_STREQ(graphs::name(node_kind::memset), "memset");
  EXPECT_STREQ(graphs::name(node_kind::memcpy), "memcpy");
  EXPECT_STREQ(graphs::name(node_kind::condition), "condition");
  EXPECT_STREQ(graphs::name(node_kind::graph), "graph");
  EXPECT_STREQ(graphs::name(node_kind::empty), "empty");
  EXPECT_STREQ(graphs::name(node_kind::other), "other");
}

}  // namespace
}  // namespace multifold::graphs_tests
