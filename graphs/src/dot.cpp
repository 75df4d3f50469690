// Topologies for Graphviz: a box a node, a frame around what a condition runs.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/bytes_text.hpp"
#include "multifold/graphs/topology.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

constexpr const char* preamble =
    "  labelloc=t;\n"
    "  compound=true;\n"
    "  fontname=\"sans-serif\";\n"
    "  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=11];\n"
    "  edge [fontname=\"sans-serif\", fontsize=10];\n";

// The text of a label, on one line: in quotes a backslash starts an escape of Graphviz's own.
std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    const bool control = static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
    quoted += control ? ' ' : character;
  }
  return quoted;
}

std::string label_of(const node& n, const std::string& number) {
  std::string label = number + "  " + name(n.kind);
  const auto line = [&label](const std::string& text) {
    if (!text.empty()) label += "\\n" + escaped(text);
  };
  line(n.label);
  line(n.shape);
  if (n.blocks > 0) {
    line(std::to_string(n.blocks) + (n.blocks == 1 ? " block x " : " blocks x ") + std::to_string(n.threads) +
         " threads");
  }
  if (n.bytes > 0) line(bytes_text(n.bytes));
  return label;
}

const char* look_of(node_kind kind) {
  switch (kind) {
    case node_kind::kernel: return ", fillcolor=\"#dcebd3\"";
    case node_kind::memset: return ", fillcolor=\"#e8e8e8\"";
    case node_kind::memcpy: return ", fillcolor=\"#d8e6f3\"";
    case node_kind::condition: return ", shape=diamond, fillcolor=\"#f9e9c8\"";
    case node_kind::graph: return ", shape=box3d";
    case node_kind::empty:
    case node_kind::other: break;
  }
  return "";
}

// Nodes of one level, which are named n1, n2, ..., those of the body of n3 n3_1 and so on.
class level {
 public:
  level(std::string& text, std::string outer, std::string indent)
      : text_(text), outer_(std::move(outer)), indent_(std::move(indent)) {}

  void write(const std::vector<node>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) write(nodes[i], i);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::size_t before : nodes[i].after) edge(nodes[before], before, i);
    }
  }

 private:
  std::string id(std::size_t place) const { return outer_ + std::to_string(place + 1); }

  // "3.1" of "n3_1".
  static std::string number_of(const std::string& id) {
    std::string number = id.substr(1);
    for (char& character : number) character = character == '_' ? '.' : character;
    return number;
  }

  void write(const node& n, std::size_t place) {
    const std::string self = id(place);
    const std::string box = self + " [label=\"" + label_of(n, number_of(self)) + "\"" + look_of(n.kind) + "];\n";
    if (n.body.empty()) {
      text_ += indent_ + box;
      return;
    }
    text_ += indent_ + "subgraph cluster_" + self + " {\n" + indent_ + "  label=\"\";\n" + indent_ +
             "  style=dashed;\n" + indent_ + "  " + box;
    level(text_, self + "_", indent_ + "  ").write(n.body);
    for (std::size_t i = 0; i < n.body.size(); ++i) {
      if (n.body[i].after.empty()) {
        text_ += indent_ + "  " + self + " -> " + self + "_" + std::to_string(i + 1) + " [style=dashed];\n";
      }
    }
    text_ += indent_ + "}\n";
  }

  // What follows a condition follows its frame: drawn from the last node in it, but cut off at the border.
  void edge(const node& from, std::size_t before, std::size_t after) {
    std::string tail = id(before);
    for (const node* inner = &from; !inner->body.empty(); inner = &inner->body.back()) {
      tail += "_" + std::to_string(inner->body.size());
    }
    const std::string cut = from.body.empty() ? "" : " [ltail=cluster_" + id(before) + "]";
    text_ += indent_ + tail + " -> " + id(after) + cut + ";\n";
  }

  std::string& text_;
  std::string outer_;
  std::string indent_;
};

}  // namespace

std::string to_dot(const topology& t) {
  std::string text = "digraph multifold {\n  label=\"" + escaped(t.title) + "\";\n" + preamble;
  level(text, "n", "  ").write(t.nodes);
  return text + "}\n";
}

}  // namespace multifold::inline v0_1::graphs
