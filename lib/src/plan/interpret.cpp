// The meaning of a plan, spelled out: every pass over every part, one element at a time. Slow, and meant to be read.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/fractional_correction.hpp"
#include "multifold/ops/merged.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/plan.hpp"
#include "plan/layout.hpp"
#include "plan/outcome.hpp"

namespace multifold::inline v0_1 {
namespace {

template <class Op>
using partials_of = std::vector<typename Op::accumulator>;

template <class T>
struct reader {
  T operator()(const operands& data, std::int64_t element) const { return load<T>(data.x, element); }
  template <class Item>
  static Item load(const void* data, std::int64_t element) {
    Item x;
    std::memcpy(&x, static_cast<const char*>(data) + element * static_cast<std::int64_t>(sizeof(Item)), sizeof(Item));
    return x;
  }
};
template <class T>
struct reader<element_pair<T>> {
  element_pair<T> operator()(const operands& data, std::int64_t element) const {
    return {reader<T>::template load<T>(data.x, element), reader<T>::template load<T>(data.y, element)};
  }
};

// A pass of tiles; `element(o, l, i)` is that of outer o, row l, column i.
template <class Op, class Element>
auto read_tiles(const pass& at, const Op& op, const Element& element) {
  std::vector<typename Op::accumulator> out(static_cast<std::size_t>(at.batches * at.parts), op.identity());
  for (std::int64_t batch = 0; batch < at.batches; ++batch) {
    for (std::int64_t row = 0; row < at.length; ++row) {
      auto& into = out[static_cast<std::size_t>(batch * at.parts + at.part_of(row))];
      const auto x = element(batch / at.array.inner, row, batch % at.array.inner);
      into = op.combine(into, op.lift(x, row * at.array.index_step));
    }
  }
  return out;
}

template <class Op>
partials_of<Op> read_input(const plan& p, const Op& op, const operands& data) {
  const reader<typename Op::value_type> read;
  const pass& first = p.passes.front();
  if (detail::reads_array(first, p.engine)) {
    return read_tiles(first, op, [&](std::int64_t outer, std::int64_t row, std::int64_t column) {
      return read(data, p.form.offset + outer * first.array.outer_stride + row * first.array.row_stride + column);
    });
  }
  partials_of<Op> out(static_cast<std::size_t>(first.batches * first.parts), op.identity());
  for (std::int64_t batch = 0; batch < first.batches; ++batch) {
    for (std::int64_t index = 0; index < first.length; ++index) {
      auto& into = out[static_cast<std::size_t>(batch * first.parts + first.part_of(index))];
      const auto element = read(data, p.form.offset_of(batch, index));
      if constexpr (requires { op.add(into, element, index); }) op.add(into, element, index);
      else into = op.combine(into, op.lift(element, index));
    }
  }
  return out;
}

template <class Op>
partials_of<Op> merge(const pass& at, const Op& op, const partials_of<Op>& in) {
  if (at.kind == kernel::tiles) {
    return read_tiles(at, merge_of<Op>{op}, [&](std::int64_t outer, std::int64_t row, std::int64_t column) {
      return in[static_cast<std::size_t>((outer * at.length + row) * at.array.inner + column)];
    });
  }
  partials_of<Op> out(static_cast<std::size_t>(at.batches * at.parts), op.identity());
  for (std::int64_t batch = 0; batch < at.batches; ++batch) {
    for (std::int64_t index = 0; index < at.length; ++index) {
      auto& into = out[static_cast<std::size_t>(batch * at.parts + at.part_of(index))];
      into = op.combine(into, in[static_cast<std::size_t>(batch * at.length + index)]);
    }
  }
  return out;
}

// What the last block to arrive, or the atomics, do at the end of the last pass.
template <class Op>
partials_of<Op> finish_in_kernel(const pass& last, const Op& op, const partials_of<Op>& in) {
  pass rest = last;
  rest.length = last.parts;
  rest.parts = 1;
  rest.tile = rest.part_length = last.parts;
  rest.kind = kernel::partials;
  return last.parts == 1 ? in : merge(rest, op, in);
}

}  // namespace

void interpret(const plan& p, const operands& data, void* results) {
  visit_fold(p.what, [&](auto op) {
    auto partials = read_input(p, op, data);
    for (std::size_t i = 1; i < p.passes.size(); ++i) partials = merge(p.passes[i], op, partials);
    partials = finish_in_kernel(p.passes.back(), op, partials);
    detail::outcome all;
    for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
      const auto& merged = op.lower(partials[static_cast<std::size_t>(batch)], p.form.length);
      const auto value = detail::finish_any(p.what.op, merged, p.what.initial);
      const std::int64_t result = p.form.result_of(batch);
      char* out = static_cast<char*>(results) + result * result_bytes(p.what);
      all.note(store(value, p.what.result, out), p.form.results() == 1 ? -1 : result);
    }
    check_status(all.worst, p.what, all.result);
  });
}

}  // namespace multifold::inline v0_1
