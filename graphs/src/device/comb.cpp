#include "comb.hpp"

#include <algorithm>
#include <utility>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"

namespace multifold::inline v0_1::graphs {

using cuda::check;

comb::comb(const plan& full, const comb_shape& shape, const comb_memory& memory, const operands& array,
           std::int64_t count)
    : plan_(full),
      arrays_(takes_two_arrays(full.what.op) ? 2 : 1),
      shape_(shape),
      copies_(static_cast<std::size_t>((full.form.length + shape.copied - 1) / shape.copied)),
      memory_(memory),
      graph_(built(array, count)),
      exec_(graph_) {}

// Copy `number` of tooth `index` that is set to elements [first, first + length); of no bytes, if it has nothing to
// bring.
comb::copy comb::copy_of(const operands& array, std::size_t index, std::size_t number, std::int64_t first,
                         std::int64_t length) const {
  const std::int64_t item = item_bytes(plan_.what.input), bytes = plan_.form.length * item;
  const bool second = number >= copies_;
  const std::int64_t before = static_cast<std::int64_t>(number % copies_) * shape_.copied;
  const std::int64_t side = static_cast<std::int64_t>(index) % shape_.slots * arrays_ + (second ? 1 : 0);
  copy c;
  c.from = static_cast<const std::byte*>(second ? array.y : array.x) + (first + before) * item;
  c.to = memory_.slots.data() + side * bytes + before * item;
  c.bytes = std::clamp<std::int64_t>(length - before, 0, shape_.copied) * item;
  return c;
}

// Sums do not ask where their elements stood, and their nodes need not be set for every range.
std::int64_t comb::index_of(std::int64_t first) const {
  return order_of(plan_.what.op) == element_order::indexed ? first : 0;
}

void comb::reduce(std::size_t index, const plan& p, std::int64_t first, cuda::work_queue& queue) const {
  const std::int64_t bytes = plan_.form.length * item_bytes(plan_.what.input);
  const std::byte* const x = memory_.slots.data() + static_cast<std::int64_t>(index) % shape_.slots * arrays_ * bytes;
  const std::size_t each = memory_.workspaces.size() / teeth_.size();
  cuda::accumulate_async(p, {x, x + bytes}, {memory_.accumulator, 0, index_of(first)},
                         memory_.workspaces.subspan(index * each, each), queue);
}

// Copies are made with the start of the array, and set to their places before the first launch.
graph comb::built(const operands& array, std::int64_t count) {
  graph g;
  teeth_.resize(static_cast<std::size_t>(shape_.teeth));
  const cudaGraphNode_t cleared = add_clearing(g.get(), memory_.workspaces);
  const auto slots = static_cast<std::size_t>(shape_.slots);
  const std::int64_t length = plan_.form.length, bytes = count * item_bytes(plan_.what.input);
  cudaGraphNode_t last_copy = nullptr;
  for (std::size_t i = 0; i < teeth_.size(); ++i) {
    tooth& t = teeth_[i];
    for (std::size_t number = 0; number < copies_ * static_cast<std::size_t>(arrays_); ++number) {
      copy c = copy_of(array, i, number, 0, length);
      c.from = static_cast<const std::byte*>(number < copies_ ? array.x : array.y);
      c.bytes = std::min(c.bytes, bytes);
      std::vector<cudaGraphNode_t> after;
      if (last_copy != nullptr) after.push_back(last_copy);
      if (number == 0 && i >= slots) after.push_back(teeth_[i - slots].work.back().handle);
      check(cudaGraphAddMemcpyNode1D(&c.handle, g.get(), after.data(), after.size(), c.to, c.from,
                                     static_cast<std::size_t>(c.bytes), cudaMemcpyHostToDevice));
      last_copy = c.handle;
      t.copies.push_back(c);
    }
    // One accumulator: reductions follow each other.
    const cudaGraphNode_t before = i > 0 ? teeth_[i - 1].work.back().handle : cleared;
    node_queue queue(g.get(), {last_copy, before}, t.work, clearing::in_front);
    t.first = static_cast<std::int64_t>(i) * length;
    t.length = length;
    reduce(i, plan_, t.first, queue);
  }
  return g;
}

void comb::set_copy(copy& had, const copy& wanted) {
  const bool on = wanted.bytes > 0;
  if (on != had.enabled) {
    check(cudaGraphNodeSetEnabled(exec_.get(), had.handle, on ? 1 : 0));
    had.enabled = on;
  }
  if (!on || (wanted.from == had.from && wanted.bytes == had.bytes)) return;
  check(cudaGraphExecMemcpyNodeSetParams1D(exec_.get(), had.handle, wanted.to, wanted.from,
                                           static_cast<std::size_t>(wanted.bytes), cudaMemcpyHostToDevice));
  had.from = wanted.from;
  had.bytes = wanted.bytes;
}

void comb::enable(tooth& t, bool on) {
  if (t.enabled == on) return;
  for (const work_node& n : t.work) check(cudaGraphNodeSetEnabled(exec_.get(), n.handle, on ? 1 : 0));
  t.enabled = on;
}

void comb::set(const operands& array, std::int64_t first, std::int64_t count) {
  const std::int64_t length = plan_.form.length;
  for (std::size_t i = 0; i < teeth_.size(); ++i) {
    tooth& t = teeth_[i];
    const std::int64_t before = static_cast<std::int64_t>(i) * length;
    const std::int64_t mine = std::clamp<std::int64_t>(count - before, 0, length);
    for (std::size_t number = 0; number < t.copies.size(); ++number) {
      set_copy(t.copies[number], copy_of(array, i, number, first + before, mine));
    }
    enable(t, mine > 0);
    if (mine == 0 || (t.length == mine && index_of(t.first) == index_of(first + before))) continue;
    t.first = first + before;
    t.length = mine;
    update_queue queue(exec_, t.work, clearing::in_front);
    reduce(i, mine == length ? plan_ : resized(plan_, mine), t.first, queue);
  }
}

}  // namespace multifold::inline v0_1::graphs
