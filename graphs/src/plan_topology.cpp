// What the GPU engine enqueues for a plan, told without it: the steps of its recipe as nodes.
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/placement.hpp"
#include "multifold/plan/recipe.hpp"
#include "plan/reshape_text.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

node memset_of(const recipe& made, const recipe::step& s) {
  node n;
  n.kind = node_kind::memset;
  for (const recipe::slice& cleared : made.cleared_by(s)) {
    n.label += (n.label.empty() ? "" : ", ") + std::string(name(cleared.use));
  }
  n.bytes = made.cleared_bytes(s);
  return n;
}

void tell_pass(node& n, const plan& p, std::size_t index) {
  const pass& at = p.passes[index];
  const std::int64_t input = item_bytes(p.what.input) * (takes_two_arrays(p.what.op) ? 2 : 1);
  n.shape = reshape_text(at);
  n.bytes = at.batches * at.length * (index == 0 ? input : p.accumulator_bytes);
}

void tell_placing(node& n, const plan& p) {
  const placement map = placement_of(p.form, p.waiting_bytes);
  n.shape = "tiles of " + std::to_string(map.tile_rows) + " x " + std::to_string(map.tile_columns * map.run_length);
  n.bytes = p.form.results() * p.waiting_bytes;
}

node kernel_of(const plan& p, const recipe::step& s) {
  node n;
  n.label = name(s.kind);
  n.blocks = s.blocks;
  n.threads = s.threads;
  if (s.pass < p.passes.size()) tell_pass(n, p, s.pass);
  if (s.kind == step_kind::place_results) tell_placing(n, p);
  return n;
}

}  // namespace

topology topology_of(const plan& p) {
  if (p.engine.engine != engine_kind::device) {
    throw unsupported_error("a plan for the host engine is no graph: make one for a GPU (h200_traits())");
  }
  topology t;
  t.title = std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " on " + p.engine.name;
  const recipe made = recipe_of(p);
  for (const recipe::step& s : made.steps()) {
    node n = s.kind == step_kind::clear ? memset_of(made, s) : kernel_of(p, s);
    if (!t.nodes.empty()) n.after = {t.nodes.size() - 1};
    t.nodes.push_back(std::move(n));
  }
  return t;
}

}  // namespace multifold::inline v0_1::graphs
