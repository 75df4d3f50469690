// One row to one result: its accumulator, and the wide sum that this may need, are on the stack. For instance files.
#pragma once

#include <memory>
#include <type_traits>

#include "host/fold.hpp"

namespace multifold::inline v0_1::host {

template <class Op>
using arena_of = std::remove_pointer_t<decltype(Op::arena)>;

/// What fold_table::row is.
template <class Op>
outcome reduce_row_by(const Op& op, const fold& f, const whole_row& w) {
  auto acc = op.identity();
  const auto* const x = static_cast<const std::byte*>(w.data.x);
  const std::ptrdiff_t other = w.data.y != nullptr ? static_cast<const std::byte*>(w.data.y) - x : 0;
  auto* const at = reinterpret_cast<std::byte*>(&acc);
  if (w.count > 0) f.kernels.rows(&op, {x, w.count, 1, w.count, at, 1, 0, 0, 1, other});
  return f.table->lower(&op, {w.what, at, 1, w.count, w.out, 0});
}

template <class Op>
outcome reduce_row(const fold& f, const whole_row& w) {
  return reduce_row_by(*reinterpret_cast<const Op*>(f.op), f, w);
}

template <class Op>
outcome reduce_row_that_spills(const fold& f, const whole_row& w) {
  arena_of<Op> arena;
  Op op = *reinterpret_cast<const Op*>(f.op);
  op.arena = &arena;
  return reduce_row_by(op, f, w);
}

/// What fold_table::give_arena is.
template <class Op>
void give_arena(fold& f) {
  const auto arena = std::make_shared<arena_of<Op>>();
  reinterpret_cast<Op*>(f.op)->arena = arena.get();
  f.arena = arena;
}

}  // namespace multifold::inline v0_1::host
