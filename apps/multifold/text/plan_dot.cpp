// One node a pass, one edge for what passes between them.
#include "text/plan_dot.hpp"

#include <fmt/format.h>

#include <iterator>

#include "text/size_text.hpp"

namespace multifold::app {
namespace {

std::string reshape(const pass& step) {
  if (step.parts == 1) return fmt::format("({}, {})", step.batches, step.length);
  return fmt::format("({}, {}) as {} parts of {}", step.batches, step.length, step.parts, step.part_length);
}

std::string grid(const plan& p, const pass& step) {
  if (p.engine.engine == engine_kind::host) return fmt::format("{} part{}", step.blocks, step.blocks == 1 ? "" : "s");
  const std::string group = step.group > 1 ? fmt::format(", {} a row", step.group) : "";
  return fmt::format("{} blocks x {} threads{}, {}", step.blocks, step.threads, group, name(step.form));
}

std::int64_t bytes_read(const plan& p, std::size_t index) {
  const pass& step = p.passes[index];
  const std::int64_t input = item_bytes(p.what.input) * (takes_two_arrays(p.what.op) ? 2 : 1);
  return step.batches * step.length * (index == 0 ? input : p.accumulator_bytes);
}

}  // namespace

std::string plan_dot(const plan& p) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "digraph plan {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
  fmt::format_to(out, "  label=\"{} of {}, {} engine\";\n", name(p.what.op), name(p.what.input), p.engine.name);
  fmt::format_to(out, "  input [shape=cylinder, label=\"{} x {} x {}\\n{}\"];\n", p.form.outer, p.form.length,
                 p.form.inner, size_text(bytes_read(p, 0)));
  std::string from = "input";
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& step = p.passes[i];
    const std::string how = step.parts > 1 ? fmt::format("\\nfinish: {}", name(step.how)) : "";
    fmt::format_to(out, "  pass{0} [label=\"pass {0}: {1}\\n{2}\\n{3}{4}\"];\n", i + 1, name(step.kind), reshape(step),
                   grid(p, step), how);
    fmt::format_to(out, "  {} -> pass{} [label=\"{}\"];\n", from, i + 1, size_text(bytes_read(p, i)));
    from = fmt::format("pass{}", i + 1);
  }
  fmt::format_to(out, "  result [shape=ellipse, label=\"{} {}\"];\n", p.form.results(), name(p.what.result));
  fmt::format_to(out, "  {} -> result [label=\"{}\"];\n}}\n", from, size_text(p.form.results() * result_bytes(p.what)));
  return text;
}

}  // namespace multifold::app
