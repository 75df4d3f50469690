// What the GPU engine enqueues for a plan, told without it: the chain that device/reduce_async.cpp makes.
#include <algorithm>
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/placement.hpp"
#include "plan/reshape_text.hpp"

namespace multifold::graphs {
namespace {

constexpr std::int64_t small_block = 256;  // of kernels with a thread a batch
constexpr std::int64_t most_small_blocks = INT64_C(1) << 20;
constexpr std::int64_t few_partials = 8;

std::int64_t blocks_for(std::int64_t items, std::int64_t threads) {
  return std::min((items + threads - 1) / threads, most_small_blocks);
}

class chain {
 public:
  explicit chain(const plan& p) : plan_(p) {}

  topology made() {
    if (plan_.form.results() == 0) return std::move(made_);
    if (plan_.form.results() > 1) clear("status", 4);
    const op_family family = family_of(plan_.what);
    if (family == op_family::moments) moments();
    else if (gathers_exactly(plan_.what)) exact_sums();
    else passes();
    if (plan_.waiting_bytes > 0) place_results();
    return std::move(made_);
  }

 private:
  const pass& first() const { return plan_.passes.front(); }

  void add(node n) {
    if (!made_.nodes.empty()) n.after = {made_.nodes.size() - 1};
    made_.nodes.push_back(std::move(n));
  }

  void clear(std::string what, std::int64_t bytes) {
    node n;
    n.kind = node_kind::memset;
    n.label = std::move(what);
    n.bytes = bytes;
    add(std::move(n));
  }

  void kernel_node(std::string label, std::int64_t blocks, std::int64_t threads) {
    node n;
    n.label = std::move(label);
    n.blocks = blocks;
    n.threads = threads;
    add(std::move(n));
  }

  // Pass `index` by the kernel `label`, on its own grid or another one.
  void pass_node(std::size_t index, std::string label, std::int64_t blocks = 0, std::int64_t threads = 0) {
    const pass& at = plan_.passes[index];
    const std::int64_t input = item_bytes(plan_.what.input) * (takes_two_arrays(plan_.what.op) ? 2 : 1);
    kernel_node(std::move(label), blocks > 0 ? blocks : at.blocks, threads > 0 ? threads : at.threads);
    node& n = made_.nodes.back();
    n.shape = reshape_text(at);
    n.bytes = at.batches * at.length * (index == 0 ? input : plan_.accumulator_bytes);
  }

  // Folds along the passes as they are.
  void passes() {
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
      const pass& at = plan_.passes[i];
      if (at.parts > 1 && at.how != finish::next_pass) clear("arrivals", at.batches * 4);
      if (at.parts > 1 && at.how == finish::atomic) {
        kernel_node("fill_identity", blocks_for(at.batches, small_block), small_block);
      }
      if (at.kind == kernel::partials && at.parts == 1 && at.length <= few_partials && at.batches > 1) {
        pass_node(i, kernel_name(at), blocks_for(at.batches, small_block), small_block);
      } else {
        pass_node(i, kernel_name(at));
      }
    }
  }

  // Long rows have kernels of their own; all else is gathered in pairs, and what they lose is added again.
  void exact_sums() {
    const pass& at = first();
    const bool two_passes = plan_.what.input == dtype::f64;
    if (at.kind == kernel::exact_rows) {
      if (two_passes || at.parts > 1) clear("sums, counters", sum_bytes(at.batches, two_passes) + at.batches * 4);
      pass_node(0, two_passes ? "pair_rows" : "bin_rows");
      if (two_passes) kernel_node("wide_rows", plan_.engine.units, wide_threads);
      return;
    }
    if (plan_.what.input == dtype::f16) return passes();
    if (at.kind == kernel::exact_blocks) {
      if (at.parts > 1 && at.how == finish::last_block) clear("arrivals", at.batches * 4);
      pass_node(0, "block_sums");
      if (plan_.passes.size() > 1) pass_node(1, "block_parts");
      return;
    }
    clear_lost();
    passes();
    pass_again();
  }

  void moments() {
    const pass& at = first();
    clear_lost();
    if (at.kind == kernel::tiles) {
      passes();
    } else {
      if (at.parts > 1) clear("sums, counters", sum_bytes(at.batches) + at.batches * 4);
      pass_node(0, kernel_name(at));
    }
    pass_again();
  }

  // Batches that other passes leave: a bit each, and a pass that reads them again.
  void clear_lost() {
    if (plan_.again) clear("lost batches", (plan_.form.results() + 31) / 32 * 4);
  }
  void pass_again() {
    if (!plan_.again) return;
    const pass& again = *plan_.again;
    const std::int64_t results = plan_.form.results(), each = plan_.again_sum_bytes;
    if (each > 0) clear("sums, counters", rounded(results * each) + results * 4);
    kernel_node(kernel_name(again), again.blocks, again.threads);
  }

  // Of results that waited.
  void place_results() {
    const placement map = placement_of(plan_.form, plan_.waiting_bytes);
    kernel_node("place_results", map.blocks(), placing_threads);
    node& n = made_.nodes.back();
    n.shape = "tiles of " + std::to_string(map.tile_rows) + " x " + std::to_string(map.tile_columns * map.piece);
    n.bytes = plan_.form.results() * plan_.waiting_bytes;
  }

  // From the sums to the last counters, which are one a batch: arrivals, or, of long exact rows, claims. All start at
  // a multiple of 256 bytes.
  std::int64_t sum_bytes(std::int64_t batches) const { return rounded(batches * plan_.accumulator_bytes); }
  std::int64_t sum_bytes(std::int64_t batches, bool counts_marked) const {
    return sum_bytes(batches) + rounded(batches * 4) + (counts_marked ? rounded((batches + 2) * 4) : 0);
  }
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

  static std::string kernel_name(const pass& at) {
    std::string label(name(at.kind));
    std::replace(label.begin(), label.end(), ' ', '_');
    return label;
  }

  const plan& plan_;
  topology made_;
};

}  // namespace

topology topology_of(const plan& p) {
  if (p.engine.engine != engine_kind::device) {
    throw unsupported_error("a plan for the host engine is no graph: make one for a GPU (h200_traits())");
  }
  topology t = chain(p).made();
  t.title = std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " on " + p.engine.name;
  return t;
}

}  // namespace multifold::graphs
