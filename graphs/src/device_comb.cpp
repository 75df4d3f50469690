#include "device_comb.hpp"

#include <algorithm>
#include <utility>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"

namespace multifold::graphs {

using cuda::check;

comb::comb(const plan& chunk, int slots, int chunks, const comb_memory& memory, const operands& array,
           std::int64_t count)
    : chunk_(chunk),
      arrays_(takes_two_arrays(chunk.what.op) ? 2 : 1),
      slots_(static_cast<std::size_t>(slots)),
      memory_(memory),
      graph_(built(slots, chunks, array, count)),
      exec_(graph_) {}

comb::copy comb::copy_of(const operands& array, int which, int slot, std::int64_t first, std::int64_t count) const {
  const std::int64_t item = item_bytes(chunk_.what.input), chunk_bytes = chunk_.form.length * item;
  copy c;
  c.from = static_cast<const std::byte*>(which == 0 ? array.x : array.y) + first * item;
  c.to = memory_.slots.data() + (std::int64_t{slot} * arrays_ + which) * chunk_bytes;
  c.bytes = count * item;
  return c;
}

// Sums do not ask where their elements stood, and their nodes need not be set for every stretch.
std::int64_t comb::index_of(std::int64_t first) const {
  return order_of(chunk_.what.op) == element_order::indexed ? first : 0;
}

void comb::reduce(std::size_t chunk, const plan& p, std::int64_t first, cuda::work_queue& queue) const {
  const std::int64_t chunk_bytes = chunk_.form.length * item_bytes(chunk_.what.input);
  const std::byte* const x = memory_.slots.data() + static_cast<std::int64_t>(chunk % slots_) * arrays_ * chunk_bytes;
  const std::size_t each = memory_.workspaces.size() / teeth_.size();
  cuda::accumulate_async(p, {x, x + chunk_bytes}, {memory_.accumulator, 0, index_of(first)},
                         memory_.workspaces.subspan(chunk * each, each), queue);
}

graph comb::built(int slots, int chunks, const operands& array, std::int64_t count) {
  graph g;
  teeth_.resize(static_cast<std::size_t>(chunks));
  const cudaGraphNode_t cleared = add_clearing(g.get(), memory_.workspaces);
  cudaGraphNode_t last_copy = nullptr;
  for (int i = 0; i < chunks; ++i) {
    tooth& t = teeth_[static_cast<std::size_t>(i)];
    for (int which = 0; which < arrays_; ++which) {
      copy c = copy_of(array, which, i % slots, 0, std::min(count, chunk_.form.length));
      std::vector<cudaGraphNode_t> after;
      if (last_copy != nullptr) after.push_back(last_copy);
      if (which == 0 && i >= slots) after.push_back(teeth_[static_cast<std::size_t>(i - slots)].work.back().handle);
      check(cudaGraphAddMemcpyNode1D(&c.handle, g.get(), after.data(), after.size(), c.to, c.from,
                                     static_cast<std::size_t>(c.bytes), cudaMemcpyHostToDevice));
      last_copy = c.handle;
      t.copies.push_back(c);
    }
    // One accumulator: reductions follow each other.
    const cudaGraphNode_t before = i > 0 ? teeth_[static_cast<std::size_t>(i - 1)].work.back().handle : cleared;
    node_queue queue(g.get(), {last_copy, before}, t.work, clearing::in_front);
    t.first = i * chunk_.form.length;
    t.length = chunk_.form.length;
    reduce(static_cast<std::size_t>(i), chunk_, t.first, queue);
  }
  return g;
}

void comb::enable(tooth& t, bool on) {
  if (t.enabled == on) return;
  for (const copy& c : t.copies) check(cudaGraphNodeSetEnabled(exec_.get(), c.handle, on ? 1 : 0));
  for (const work_node& n : t.work) check(cudaGraphNodeSetEnabled(exec_.get(), n.handle, on ? 1 : 0));
  t.enabled = on;
}

void comb::set(const operands& array, std::int64_t first, std::int64_t count) {
  const std::int64_t length = chunk_.form.length;
  for (std::size_t i = 0; i < teeth_.size(); ++i) {
    tooth& t = teeth_[i];
    const std::int64_t before = static_cast<std::int64_t>(i) * length;
    const std::int64_t mine = std::clamp<std::int64_t>(count - before, 0, length);
    enable(t, mine > 0);
    if (mine == 0) continue;
    for (int which = 0; which < arrays_; ++which) {
      copy& had = t.copies[static_cast<std::size_t>(which)];
      const copy c = copy_of(array, which, static_cast<int>(i % slots_), first + before, mine);
      if (c.from == had.from && c.bytes == had.bytes) continue;
      check(cudaGraphExecMemcpyNodeSetParams1D(exec_.get(), had.handle, c.to, c.from, static_cast<std::size_t>(c.bytes),
                                               cudaMemcpyHostToDevice));
      had.from = c.from;
      had.bytes = c.bytes;
    }
    if (t.length == mine && index_of(t.first) == index_of(first + before)) continue;
    t.first = first + before;
    t.length = mine;
    update_queue queue(exec_, t.work, clearing::in_front);
    reduce(i, mine == length ? chunk_ : resized(chunk_, mine), t.first, queue);
  }
}

}  // namespace multifold::graphs
