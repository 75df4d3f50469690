// The two innermost loops of a box go to a kernel, the others are counted here. What is not contiguous is gathered
// into a small tile first.
#include "host/reduce_box.hpp"

#include <algorithm>
#include <vector>

#include "host/elements/gather.hpp"
#include "host/reduce_apart.hpp"

namespace multifold::inline v0_1::host {
namespace {

constexpr std::int64_t tile_elements = 4096;

// Narrower rows of columns are copied side by side, unless they are dense already.
constexpr std::int64_t narrow_width = 16;

// Of columns beside each other; and elements of so few columns that their kernels have nothing to lay side by side.
constexpr std::int64_t tile_width = 64, few_elements = 512;

constexpr nest_loop no_loop = {1, 0, 0, 0, 0, true};

struct position {
  const std::byte* data;
  std::byte* acc;
  std::int64_t index;
};

struct walker {
  const fold& f;
  const std::ptrdiff_t other;
  const nest_loop* loops;  // of the box: extents are those of its intervals, all above 1
  int count;

  const nest_loop& inner() const { return count > 0 ? loops[count - 1] : no_loop; }
  const nest_loop& outer() const { return count > 1 ? loops[count - 2] : no_loop; }

  position moved(position p, const nest_loop& loop, std::int64_t turns) const {
    return {p.data + turns * loop.stride * f.item, p.acc + turns * loop.acc_step * f.acc_bytes(),
            p.index + turns * loop.index_step};
  }

  void walk(position p, int depth) const {
    if (depth == count - 3 && leaves_lanes_idle()) return beside_each_other(p);
    if (depth >= count - 2) return two_loops(p);
    for (std::int64_t i = 0; i < loops[depth].extent; ++i) walk(moved(p, loops[depth], i), depth + 1);
  }

  // A few columns, and others of the same whose accumulators come behind theirs: they are copied side by side, where
  // bits do not depend on the order. Most kernels fill their lanes with several rows of columns that are long enough.
  bool leaves_lanes_idle() const {
    const nest_loop &in = inner(), &others = loops[count - 3];
    return f.any_order && !in.reduced && outer().reduced && !others.reduced &&
           (in.extent < f.lane_width || in.extent * outer().extent <= few_elements) && in.acc_step == 1 &&
           others.acc_step == in.extent && others.extent * in.extent >= f.rows_below;
  }

  void beside_each_other(position p) const {
    const nest_loop &in = inner(), &out = outer(), &others = loops[count - 3];
    const std::int64_t width = std::max(tile_width, tile_elements / out.extent);
    const std::int64_t tiles = std::clamp<std::int64_t>(width / in.extent, 1, others.extent);
    const std::int64_t rows = std::clamp<std::int64_t>(tile_elements / (tiles * in.extent), 1, out.extent);
    constexpr std::ptrdiff_t copy_bytes = tile_elements * 8;
    alignas(64) std::byte copy[2 * copy_bytes];
    for (std::int64_t t = 0; t < others.extent; t += tiles) {
      const std::int64_t here = std::min(tiles, others.extent - t);
      for (std::int64_t r = 0; r < out.extent; r += rows) {
        const tile_shape shape{std::min(rows, out.extent - r), out.stride, in.extent, in.stride};
        const position q = moved(moved(p, others, t), out, r);
        gather_beside(f.item, q.data, shape, here, others.stride, copy);
        if (other != 0) gather_beside(f.item, q.data + other, shape, here, others.stride, copy + copy_bytes);
        const std::int64_t all = here * in.extent;
        f.columns({copy, all, shape.rows, all, q.acc, q.index, out.index_step, other != 0 ? copy_bytes : 0});
      }
    }
  }

  // Each column of a tile as a row.
  void as_rows(position p) const {
    const nest_loop &in = inner(), &out = outer();
    const std::int64_t most = tile_elements / in.extent;
    constexpr std::ptrdiff_t copy_bytes = tile_elements * 8;
    alignas(64) std::byte copy[2 * copy_bytes];
    for (std::int64_t r = 0; r < out.extent; r += most) {
      const tile_shape shape{in.extent, in.stride, std::min(most, out.extent - r), out.stride};
      const position q = moved(p, out, r);
      gather(f.item, q.data, shape, copy);
      if (other != 0) gather(f.item, q.data + other, shape, copy + copy_bytes);
      f.rows({copy, shape.width, in.extent, shape.width, q.acc, in.acc_step, q.index, 0, out.index_step,
              other != 0 ? copy_bytes : 0});
    }
  }

  void two_loops(position p) const {
    const nest_loop& in = inner();
    if (f.any_order && !in.reduced && outer().reduced && in.extent < f.rows_below) return as_rows(p);
    const bool contiguous = in.stride == 1 || in.extent == 1;
    const bool dense = outer().stride == in.extent || outer().extent == 1;
    const bool ragged = !in.reduced && outer().reduced && in.extent < narrow_width && !dense;
    if (contiguous && !ragged) return kernel(p, {outer().extent, outer().stride, in.extent, 1}, other);
    const std::int64_t width = std::min(in.extent, tile_elements);
    const std::int64_t rows = std::min(outer().extent, std::max<std::int64_t>(1, tile_elements / width));
    for (std::int64_t r = 0; r < outer().extent; r += rows) {
      for (std::int64_t k = 0; k < in.extent; k += width) {
        const tile_shape shape{std::min(rows, outer().extent - r), outer().stride, std::min(width, in.extent - k),
                               in.stride};
        tile(moved(moved(p, outer(), r), in, k), shape);
      }
    }
  }

  void tile(position p, const tile_shape& shape) const {
    constexpr std::ptrdiff_t copy_bytes = tile_elements * 8;
    alignas(64) std::byte copy[2 * copy_bytes];
    gather(f.item, p.data, shape, copy);
    if (other != 0) gather(f.item, p.data + other, shape, copy + copy_bytes);
    p.data = copy;
    kernel(p, {shape.rows, shape.width, shape.width, 1}, other != 0 ? copy_bytes : 0);
  }

  // Rows of contiguous elements.
  void kernel(position p, const tile_shape& s, std::ptrdiff_t partner) const {
    const nest_loop &in = inner(), &out = outer();
    if (in.reduced) {
      f.rows({p.data, s.width, s.rows, s.row_stride, p.acc, out.acc_step, p.index, out.index_step, in.index_step,
              partner});
    } else if (out.reduced) {
      f.columns({p.data, s.width, s.rows, s.row_stride, p.acc, p.index, out.index_step, partner});
    } else {
      for (std::int64_t r = 0; r < s.rows; ++r) {
        f.columns({p.data + r * s.row_stride * f.item, s.width, 1, 0, p.acc + r * out.acc_step * f.acc_bytes(), p.index,
                   0, partner});
      }
    }
  }
};

// Whether a turn of `slow` is a whole round of `fast`, in memory and in accumulators: results may lie in another order.
bool goes_on_in(const nest_loop& slow, const nest_loop& fast) {
  return slow.reduced == fast.reduced && slow.stride == fast.extent * fast.stride &&
         slow.acc_step == fast.extent * fast.acc_step && slow.index_step == fast.extent * fast.index_step;
}

}  // namespace

void reduce_box(const fold& f, const nest& n, const box& b, const box_memory& memory) {
  if (memory.second != nullptr) return reduce_apart(f, n, b, memory);
  std::array<nest_loop, most_loops> active;
  int count = 0;
  std::int64_t element = n.offset - memory.origin, acc = -memory.first_acc, index = -memory.first_index;
  for (std::size_t i = 0; i < n.loops.size(); ++i) {
    const nest_loop& loop = n.loops[i];
    element += b[i].begin * loop.stride;
    acc += b[i].begin * loop.acc_step;
    index += b[i].begin * loop.index_step;
    nest_loop some = loop;
    some.extent = b[i].end - b[i].begin;
    if (some.extent == 1) continue;
    nest_loop* const slower = count > 0 ? &active[static_cast<std::size_t>(count - 1)] : nullptr;
    if (slower != nullptr && goes_on_in(*slower, some)) some.extent *= slower->extent, *slower = some;
    else active[static_cast<std::size_t>(count++)] = some;
  }
  const walker w{f, memory.other, active.data(), count};
  w.walk({memory.data + element * f.item, memory.acc + acc * f.acc_bytes(), index}, 0);
}

namespace {

// Results that are neighbours, or `step` apart, from number `first` on.
class lowering {
 public:
  lowering(const fold& f, const reduction& what, element_counts counts, std::byte* results)
      : fold_(f), what_(what), counts_(counts), results_(results), item_(result_bytes(what)) {}

  void lower(const std::byte* acc, std::int64_t number, std::int64_t first, std::int64_t step) {
    if (counts_.of == nullptr) return lower_alike(acc, number, first, step, counts_.each, nullptr);
    own_.resize(static_cast<std::size_t>(number));
    for (std::int64_t i = 0; i < number; ++i) own_[static_cast<std::size_t>(i)] = counts_.of[first + i * step];
    for (std::int64_t i = 0; i < number;) {  // runs of results over some elements, and single ones over none
      const std::int64_t begin = i;
      while (i < number && own_[static_cast<std::size_t>(i)] != 0) ++i;
      if (begin == i) ++i;
      lower_alike(acc + begin * fold_.acc_bytes(), i - begin, first + begin * step, step, 0,
                  own_[static_cast<std::size_t>(begin)] != 0 ? own_.data() + begin : nullptr);
    }
  }
  const outcome& all() const { return all_; }

 private:
  void lower_alike(const std::byte* acc, std::int64_t number, std::int64_t first, std::int64_t step, std::int64_t count,
                   const std::int64_t* counts) {
    const outcome some = fold_.lower({&what_, acc, number, count, results_ + first * item_, step * item_, counts});
    all_.note(some.worst, first + some.result * step);
  }

  const fold& fold_;
  const reduction& what_;
  const element_counts counts_;
  std::byte* const results_;
  const std::int64_t item_;
  std::vector<std::int64_t> own_;
  outcome all_;
};

}  // namespace

outcome lower_range(const fold& f, const nest& n, const reduction& what, const std::byte* acc, interval range,
                    element_counts counts, std::byte* results) {
  lowering work(f, what, counts, results);
  const nest_loop fastest = n.kept.empty() ? no_loop : n.loops[static_cast<std::size_t>(n.kept.back())];
  for (std::int64_t at = range.begin; at < range.end;) {
    const std::int64_t run =
        n.in_order ? range.end - at : std::min(range.end - at, fastest.extent - at % fastest.extent);
    work.lower(acc, run, n.in_order ? at : n.result_of(at), n.in_order ? 1 : fastest.result_step);
    acc += run * f.acc_bytes();
    at += run;
  }
  outcome all = work.all();
  if (n.kept.empty()) all.result = -1;  // one result needs no number
  return all;
}

}  // namespace multifold::inline v0_1::host
