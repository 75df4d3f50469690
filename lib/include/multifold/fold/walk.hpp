// From batches and elements by their numbers to dense leaves: what does not lie densely is copied to a tile first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "multifold/fold/cascade.hpp"
#include "multifold/fold/leaf.hpp"
#include "multifold/fold/shape.hpp"

namespace multifold::inline v0_1::detail {

/// A place in the loops: bytes from each array's data, a number in the index or the results, and how many elements of
/// the innermost loop are left from there on.
template <std::size_t Arrays>
struct fold_place {
  std::array<std::int64_t, Arrays> at{};
  std::int64_t number = 0;
  std::int64_t left = 1;

  fold_place moved(const std::vector<fold_loop>& loops, std::int64_t to) const {
    fold_place p{at, number, 1};
    for (std::size_t i = loops.size(); i-- > 0;) {
      const fold_loop& loop = loops[i];
      const std::int64_t turns = i > 0 ? to / loop.extent : 0, turn = to - turns * loop.extent;
      if (i + 1 == loops.size()) p.left = loop.extent - turn;
      for (std::size_t j = 0; j < Arrays; ++j) p.at[j] += turn * loop.steps[j];
      p.number += turn * loop.number_step;
      to = turns;
    }
    return p;
  }
};

/// Where the arrays are in memory: byte `origin` of each, which is not 0 where a part of a source is there.
template <std::size_t Arrays>
struct fold_memory {
  std::array<const std::byte*, Arrays> data;
  std::int64_t origin = 0;
};

/// One operation over one shape. Any number of threads may use it at a time, each with a scratch of its own.
template <host_fold_op Op>
class fold_walk {
 public:
  static constexpr std::size_t arrays = arrays_of<Op>;
  using accumulator = typename Op::accumulator;
  using group = fold_group<Op>;
  using memory = fold_memory<arrays>;
  using place = fold_place<arrays>;
  using leaf = fold_leaf<Op>;

  struct scratch {
    std::array<std::unique_ptr<std::byte[]>, arrays> tiles;
    std::vector<std::int64_t> indices;
    std::vector<cell<fold_lane<Op>>> lanes;
    group next;
    cascade<Op> tree;
  };

  fold_walk(const Op& op, const fold_shape& shape) : op_(op), shape_(shape) {
    for (std::size_t j = 0; j < arrays; ++j) first_.at[j] = shape.first[j];
    if (!shape.kept.empty()) kept_ = shape.kept.back();
    if (!shape.reduced.empty()) {
      reduced_ = shape.reduced.back();
      outer_.assign(shape.reduced.begin(), shape.reduced.end() - 1);
    }
    std::int64_t step = reduced_.number_step;
    for (std::size_t i = shape.reduced.size(); i-- > 0; step *= shape.reduced[i].extent) {
      spaced_ = spaced_ && shape.reduced[i].number_step == step;
    }
  }

  /// Elements `elements`, which begin with a whole leaf, of each of `batches`, which have to be of one block.
  void reduce(fold_interval batches, fold_interval elements, const memory& from, fold_tasks& tasks, scratch& s,
              group& into) const {
    if (shape_.columns) return columns(batches, elements, from, tasks, s, into);
    into.clear();
    runs_of(batches, [&](place p, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i, advance(p, kept_)) into.push_back({row(p, elements, from, tasks, s)});
    });
    tasks.check();
  }

  /// Results of `batches`, over `length` elements each.
  template <class Result>
  void lower(fold_interval batches, group& accumulators, std::int64_t length, Result* results) const {
    auto next = accumulators.begin();
    runs_of(batches, [&](place p, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i, advance(p, kept_), ++next) {
        results[p.number] = static_cast<Result>(op_.lower(std::move(next->value), length));
      }
    });
  }

 private:
  // Batches along the innermost kept loop.
  template <class F>
  void runs_of(fold_interval batches, const F& f) const {
    while (batches.begin < batches.end) {
      const place p = kept_place(batches.begin);
      const std::int64_t count = lesser(p.left, batches.size());
      f(p, count);
      batches.begin += count;
    }
  }

  static void advance(place& p, const fold_loop& loop) {
    for (std::size_t j = 0; j < arrays; ++j) p.at[j] += loop.steps[j];
    p.number += loop.number_step;
  }

  place kept_place(std::int64_t batch) const {
    place from = first_;
    from.number = shape_.first_result;
    return from.moved(shape_.kept, batch);
  }

  place element_place(const place& batch, std::int64_t element) const {
    place from = batch;
    from.number = shape_.first_index;
    if (shape_.reduced.size() > 1) return from.moved(shape_.reduced, element);
    for (std::size_t j = 0; j < arrays; ++j) from.at[j] += element * reduced_.steps[j];
    from.number += element * reduced_.number_step;
    from.left = reduced_.extent - element;
    return from;
  }

  accumulator row(const place& batch, fold_interval elements, const memory& from, fold_tasks& tasks, scratch& s) const {
    if (elements.size() <= leaf::row) return row_leaf(batch, elements, from, s);
    for (std::int64_t e = elements.begin; e < elements.end; e += leaf::row) {
      tasks.check();
      s.next.assign(1, {row_leaf(batch, {e, lesser(e + leaf::row, elements.end)}, from, s)});
      s.tree.push(op_, s.next);
    }
    s.tree.take(op_, s.next);
    return std::move(s.next[0].value);
  }

  accumulator row_leaf(const place& batch, fold_interval elements, const memory& from, scratch& s) const {
    const place p = element_place(batch, elements.begin);
    const std::int64_t count = elements.size();
    if (count > p.left) return gathered_leaf(batch, elements, from, s);
    fold_pointers<Op> x;
    for_each_array<Op>([&]<class T>(std::size_t j) {
      x[j] = from.data[j] + (p.at[j] - from.origin);
      if (count == 1 || reduced_.steps[j] == static_cast<std::int64_t>(sizeof(T))) return;
      std::byte* const tile = tile_of<T>(j, s);
      copy<T>(tile, x[j], reduced_.steps[j], count);
      x[j] = tile;
    });
    return reduce_row(op_, x, count, spaced_index{p.number, reduced_.number_step});
  }

  // A leaf that spans several turns of the innermost loop.
  accumulator gathered_leaf(const place& batch, fold_interval elements, const memory& from, scratch& s) const {
    constexpr bool indexed = !index_free_fold_op<Op>;
    fold_pointers<Op> x;
    for_each_array<Op>([&]<class T>(std::size_t j) { x[j] = tile_of<T>(j, s); });
    const bool listed = indexed && !spaced_;
    if (listed) s.indices.resize(static_cast<std::size_t>(leaf::row));
    std::int64_t done = 0, skipped = elements.begin % reduced_.extent;
    const std::int64_t first_index = element_place(batch, elements.begin).number;
    while (done < elements.size()) {
      place p = batch;
      p.number = shape_.first_index;
      p = p.moved(outer_, (elements.begin + done) / reduced_.extent);
      // Runs of the innermost loop, as many as the one around it has left.
      for (std::int64_t i = p.left; i > 0 && done < elements.size(); --i, advance(p, outer_.back())) {
        const std::int64_t count = lesser(reduced_.extent - skipped, elements.size() - done);
        for_each_array<Op>([&]<class T>(std::size_t j) {
          copy<T>(s.tiles[j].get() + done * static_cast<std::int64_t>(sizeof(T)),
                  from.data[j] + (p.at[j] + skipped * reduced_.steps[j] - from.origin), reduced_.steps[j], count);
        });
        for (std::int64_t k = 0; listed && k < count; ++k) {
          s.indices[static_cast<std::size_t>(done + k)] = p.number + (skipped + k) * reduced_.number_step;
        }
        done += count;
        skipped = 0;
      }
    }
    if constexpr (indexed) {
      if (listed) return reduce_row(op_, x, elements.size(), listed_index{s.indices.data()});
    }
    return reduce_row(op_, x, elements.size(), spaced_index{first_index, reduced_.number_step});
  }

  void columns(fold_interval batches, fold_interval elements, const memory& from, fold_tasks& tasks, scratch& s,
               group& into) const {
    const bool several = elements.size() > leaf::rows;
    for (std::int64_t e = elements.begin; e < elements.end; e += leaf::rows) {
      tasks.check();
      group& made = several ? s.next : into;
      columns_leaf(batches, {e, lesser(e + leaf::rows, elements.end)}, from, s, made);
      if (several) s.tree.push(op_, made);
    }
    if (several) s.tree.take(op_, into);
  }

  void columns_leaf(fold_interval batches, fold_interval elements, const memory& from, scratch& s, group& made) const {
    const auto width = static_cast<std::size_t>(batches.size());
    if constexpr (lanes_are_accumulators<Op>) {
      made.assign(width, {op_.identity()});
      absorb_rows(batches, elements, from, s, made.data());
    } else {
      s.lanes.assign(width, {empty_lane(op_)});
      absorb_rows(batches, elements, from, s, s.lanes.data());
      made.clear();
      for (auto& lane : s.lanes) made.push_back({widened(op_, lane.value)});
    }
  }

  void absorb_rows(fold_interval batches, fold_interval elements, const memory& from, scratch& s,
                   cell<fold_lane<Op>>* lanes) const {
    const place batch = kept_place(batches.begin);
    const std::int64_t width = batches.size(), tile_rows = greater<std::int64_t>(1, leaf::row / width);
    std::array<bool, arrays> dense;
    for_each_array<Op>([&]<class T>(std::size_t j) {
      dense[j] = width == 1 || kept_.steps[j] == static_cast<std::int64_t>(sizeof(T));
    });
    bool all_dense = true;
    for (const bool each : dense) all_dense = all_dense && each;
    for (std::int64_t e = elements.begin; e < elements.end;) {
      const place p = element_place(batch, e);
      std::int64_t rows = lesser(p.left, elements.end - e);
      if (!all_dense) rows = lesser(rows, tile_rows);
      fold_pointers<Op> x;
      std::array<std::int64_t, arrays> steps;
      for_each_array<Op>([&]<class T>(std::size_t j) {
        x[j] = from.data[j] + (p.at[j] - from.origin);
        steps[j] = reduced_.steps[j];
        if (dense[j]) return;
        std::byte* const tile = tile_of<T>(j, s);
        const std::int64_t row_bytes = width * static_cast<std::int64_t>(sizeof(T));
        for (std::int64_t r = 0; r < rows; ++r) {
          copy<T>(tile + r * row_bytes, x[j] + r * steps[j], kept_.steps[j], width);
        }
        x[j] = tile;
        steps[j] = row_bytes;
      });
      reduce_columns(op_, lanes, width, x, steps, rows, spaced_index{p.number, reduced_.number_step});
      e += rows;
    }
  }

  template <class T>
  std::byte* tile_of(std::size_t array, scratch& s) const {
    const std::int64_t elements = greater(leaf::row, shape_.width);
    if (!s.tiles[array]) s.tiles[array].reset(new std::byte[static_cast<std::size_t>(elements) * sizeof(T)]);
    return s.tiles[array].get();
  }

  template <class T>
  static void copy(std::byte* into, const std::byte* from, std::int64_t step, std::int64_t count) {
    constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    if (step == item) {
      std::memcpy(into, from, static_cast<std::size_t>(count * item));
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(into + i * item, from + i * step, sizeof(T));
    }
  }

  const Op& op_;
  const fold_shape& shape_;
  place first_;
  fold_loop kept_, reduced_;      // the innermost ones
  std::vector<fold_loop> outer_;  // reduced ones around that
  bool spaced_ = true;            // the index grows by equal steps
};

}  // namespace multifold::inline v0_1::detail
