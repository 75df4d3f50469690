// Topologies as tables.
#include <string>
#include <vector>

#include "core/text/bytes_text.hpp"
#include "core/text/text_table.hpp"
#include "multifold/graphs/topology.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using table = std::vector<std::vector<std::string>>;

// Nodes count from 1, those of the body of node 3 from 3.1.
std::string number_of(const std::string& outer, std::size_t place) { return outer + std::to_string(place + 1); }

std::string list_of(const std::string& outer, const std::vector<std::size_t>& places) {
  std::string text;
  for (const std::size_t place : places) text += (text.empty() ? "" : ", ") + number_of(outer, place);
  return text;
}

void add_rows(table& rows, const std::vector<node>& nodes, const std::string& outer) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const node& n = nodes[i];
    const std::string number = number_of(outer, i);
    const std::string grid = n.blocks > 0 ? std::to_string(n.blocks) + " x " + std::to_string(n.threads) : "";
    rows.push_back({number, name(n.kind), n.label, n.shape, grid, n.bytes > 0 ? bytes_text(n.bytes) : "",
                    list_of(outer, n.after)});
    add_rows(rows, n.body, number + ".");
  }
}

}  // namespace

std::string to_text(const topology& t) {
  if (t.nodes.empty()) return t.title + "\nno nodes: there is nothing to run\n";
  table rows{{"node", "kind", "label", "shape", "grid", "bytes", "after"}};
  add_rows(rows, t.nodes, "");
  return t.title + "\n" + text_table(rows);
}

}  // namespace multifold::inline v0_1::graphs
