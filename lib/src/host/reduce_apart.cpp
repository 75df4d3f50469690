// Both arrays are read in tiles of rows; kernels get pairs that lie alike, or the elements that are selected, without
// gaps.
#include "host/reduce_apart.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/elements/gather.hpp"
#include "host/elements/selection.hpp"

namespace multifold::inline v0_1::host {
namespace {

// Of columns beside each other: they are tall, because what a kernel begins and ends with is as much as some hundred
// elements.
constexpr std::int64_t tile_width = 64;

constexpr nest_loop no_loop = {1, 0, 0, 0, 0, true};

struct position {
  const std::byte* x;
  const std::byte* second;
  std::byte* acc;
  std::int64_t index;
};

// What an operation may do with a row of a tile: `stride` elements lie between neighbours.
struct row_part {
  std::int64_t count, stride, second_stride, index_step;
};

class walker {
 public:
  walker(const fold& f, const second_operand& second, const nest_loop* loops, int count)
      : f_(f), second_(second), loops_(loops), count_(count), tile_elements_(tile_bytes / f.item) {}

  void walk(position p, int depth) {
    if (depth < count_ - 2) {
      for (std::int64_t i = 0; i < loops_[depth].extent; ++i) walk(moved(p, loops_[depth], i), depth + 1);
    } else if (second_.selects) {
      select(p);
    } else {
      pair(p);
    }
  }

  // What is selected, and waits for more of the same batch.
  void flush() {
    if (waiting_ > 0) f_.rows({copy_, waiting_, 1, 0, waiting_acc_, 0, 0, 0, 0, 0});
    waiting_ = 0;
  }

 private:
  const nest_loop& inner() const { return count_ > 0 ? loops_[count_ - 1] : no_loop; }
  const nest_loop& outer() const { return count_ > 1 ? loops_[count_ - 2] : no_loop; }

  position moved(position p, const nest_loop& loop, std::int64_t turns) const {
    return {p.x + turns * loop.stride * f_.item, p.second + turns * loop.second_stride * second_.item,
            p.acc + turns * loop.acc_step * f_.acc_bytes(), p.index + turns * loop.index_step};
  }

  void pair(position p) {
    const nest_loop &in = inner(), &out = outer();
    const bool alike = (in.stride == 1 && in.second_stride == 1) || in.extent == 1;
    if (alike && in.reduced) {
      for (std::int64_t r = 0; r < out.extent; ++r) {
        const position row = moved(p, out, r);
        f_.rows({row.x, in.extent, 1, 0, row.acc, 0, row.index, 0, in.index_step, row.second - row.x});
      }
      return;
    }
    const bool as_rows = !in.reduced && out.reduced && f_.any_order && in.extent < f_.rows_below;
    const std::int64_t most = in.reduced ? tile_elements_ : tile_width;
    const std::int64_t width = std::min(in.extent, most), rows = std::min(out.extent, tile_elements_ / width);
    for (std::int64_t r = 0; r < out.extent; r += rows) {
      for (std::int64_t k = 0; k < in.extent; k += width) {
        pair_tile(moved(moved(p, out, r), in, k), std::min(rows, out.extent - r), std::min(width, in.extent - k),
                  as_rows);
      }
    }
  }

  void pair_tile(position p, std::int64_t rows, std::int64_t width, bool as_rows) {
    const nest_loop &in = inner(), &out = outer();
    constexpr std::ptrdiff_t partner = tile_bytes;  // the second copy comes behind the first
    const auto gather_both = [&](const nest_loop& slow, std::int64_t turns, const nest_loop& fast,
                                 std::int64_t across) {
      gather(f_.item, p.x, {turns, slow.stride, across, fast.stride}, copy_);
      gather(f_.item, p.second, {turns, slow.second_stride, across, fast.second_stride}, second_copy_);
    };
    if (as_rows) {
      gather_both(in, width, out, rows);
      f_.rows({copy_, rows, width, rows, p.acc, in.acc_step, p.index, in.index_step, out.index_step, partner});
      return;
    }
    gather_both(out, rows, in, width);
    if (in.reduced) {
      f_.rows({copy_, width, rows, width, p.acc, out.acc_step, p.index, out.index_step, in.index_step, partner});
    } else if (out.reduced) {
      f_.columns({copy_, width, rows, width, p.acc, p.index, out.index_step, partner});
    } else {
      for (std::int64_t r = 0; r < rows; ++r) {
        f_.columns(
            {copy_ + r * width * f_.item, width, 1, 0, p.acc + r * out.acc_step * f_.acc_bytes(), p.index, 0, partner});
      }
    }
  }

  void select(position p) {
    const nest_loop &in = inner(), &out = outer();
    if (in.reduced) {
      for (std::int64_t r = 0; r < out.extent; ++r) {
        select_row(moved(p, out, r), {in.extent, in.stride, in.second_stride, in.index_step});
      }
    } else if (in.second_stride == 0 && out.reduced) {
      select_whole_rows(p);
    } else if (out.reduced) {
      select_columns(p);
    } else {
      for (std::int64_t r = 0; r < out.extent; ++r) {
        const position row = moved(p, out, r);
        runs_of(row.second, in.extent, in.second_stride, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t k = first; k < last; ++k) {
            const position one = moved(row, in, k);
            f_.rows({one.x, 1, 1, 0, one.acc, 0, one.index, 0, 0, 0});
          }
        });
      }
    }
  }

  // Elements of one batch.
  void select_row(position p, const row_part& row) {
    if (row.second_stride == 0 && *p.second == std::byte{0}) return;
    for (std::int64_t k = 0; k < row.count; k += tile_elements_) {
      const std::int64_t count = std::min(tile_elements_, row.count - k);
      const std::byte* x = p.x + k * row.stride * f_.item;
      const std::byte* marks = p.second + k * row.second_stride;
      if (row.stride != 1) gather(f_.item, std::exchange(x, second_copy_), {1, 0, count, row.stride}, second_copy_);
      if (row.second_stride != 1) gather(1, std::exchange(marks, marks_), {1, 0, count, row.second_stride}, marks_);
      select_neighbours(x, marks, count, p.acc, p.index + k * row.index_step, row.index_step);
    }
  }

  void select_neighbours(const std::byte* x, const std::byte* marks, std::int64_t count, std::byte* acc,
                         std::int64_t index, std::int64_t index_step) {
    if (second_.indexed) {
      return runs_of(marks, count, 1, [&](std::int64_t first, std::int64_t last) {
        f_.rows({x + first * f_.item, last - first, 1, 0, acc, 0, index + first * index_step, 0, index_step, 0});
      });
    }
    if (acc != waiting_acc_ || waiting_ + count > tile_elements_) flush();
    waiting_acc_ = acc;
    waiting_ += selected(f_.item, x, marks, count, copy_ + waiting_ * f_.item);
  }

  // Marks are the same for all columns of a row.
  void select_whole_rows(position p) {
    const nest_loop &in = inner(), &out = outer();
    if (second_.indexed) return select_runs_of_rows(p);
    const std::int64_t width = std::min(in.extent, tile_width), rows = tile_elements_ / width;
    for (std::int64_t k = 0; k < in.extent; k += width) {
      const std::int64_t columns = std::min(width, in.extent - k);
      std::int64_t filled = 0;
      position q = moved(p, in, k);
      const auto flush_rows = [&] {
        if (filled > 0) f_.columns({copy_, columns, filled, columns, q.acc, 0, 0, 0});
        filled = 0;
      };
      for (std::int64_t r = 0; r < out.extent; ++r, q = moved(q, out, 1)) {
        if (*q.second == std::byte{0}) continue;
        gather(f_.item, q.x, {1, 0, columns, in.stride}, copy_ + filled * columns * f_.item);
        if (++filled == rows) flush_rows();
      }
      flush_rows();
    }
  }

  void select_runs_of_rows(position p) {
    const nest_loop &in = inner(), &out = outer();
    const std::int64_t width = std::min(in.extent, tile_width), most = tile_elements_ / width;
    runs_of(p.second, out.extent, out.second_stride, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; r += most) {
        for (std::int64_t k = 0; k < in.extent; k += width) {
          const position q = moved(moved(p, out, r), in, k);
          const tile_shape shape{std::min(most, last - r), out.stride, std::min(width, in.extent - k), in.stride};
          gather(f_.item, q.x, shape, copy_);
          f_.columns({copy_, shape.width, shape.rows, shape.width, q.acc, q.index, out.index_step, 0});
        }
      }
    });
  }

  // What is selected of the columns of a tile becomes rows. Elements are read in the order of memory.
  void select_columns(position p) {
    if (second_.indexed) return select_columns_with_indices(p);
    const nest_loop &in = inner(), &out = outer();
    const std::int64_t width = std::min(in.extent, tile_width), pitch = tile_elements_ / width;
    for (std::int64_t k = 0; k < in.extent; k += width) {
      const std::int64_t columns = std::min(width, in.extent - k);
      for (std::int64_t r = 0; r < out.extent; r += pitch) {
        const position q = moved(moved(p, in, k), out, r);
        std::array<std::int64_t, tile_width> heights{};
        select_into_columns(f_.item, q, columns, std::min(pitch, out.extent - r), pitch, heights.data());
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::int64_t count = heights[static_cast<std::size_t>(c)];
          if (count == 0) continue;
          f_.rows({copy_ + c * pitch * f_.item, count, 1, 0, q.acc + c * in.acc_step * f_.acc_bytes(), 0, 0, 0, 0, 0});
        }
      }
    }
  }

  template <class Word>
  void select_words_into_columns(position p, std::int64_t columns, std::int64_t rows, std::int64_t pitch,
                                 std::int64_t* heights) {
    const nest_loop &in = inner(), &out = outer();
    auto* const into = reinterpret_cast<packed<Word>*>(copy_);
    for (std::int64_t r = 0; r < rows; ++r, p = moved(p, out, 1)) {
      const packed<Word>* const x = packed_at<Word>(p.x);
      for (std::int64_t c = 0; c < columns; ++c) {
        into[c * pitch + heights[c]] = x[c * in.stride];
        heights[c] += p.second[c * in.second_stride] != std::byte{0};
      }
    }
  }

  void select_into_columns(std::int64_t item, position p, std::int64_t columns, std::int64_t rows, std::int64_t pitch,
                           std::int64_t* heights) {
    if (item == 1) select_words_into_columns<std::uint8_t>(p, columns, rows, pitch, heights);
    else if (item == 2) select_words_into_columns<std::uint16_t>(p, columns, rows, pitch, heights);
    else if (item == 4) select_words_into_columns<std::uint32_t>(p, columns, rows, pitch, heights);
    else select_words_into_columns<std::uint64_t>(p, columns, rows, pitch, heights);
  }

  void select_columns_with_indices(position p) {
    const nest_loop &in = inner(), &out = outer();
    const std::int64_t width = std::min(in.extent, tile_width);
    const std::int64_t rows = std::min(out.extent, tile_elements_ / width);
    for (std::int64_t k = 0; k < in.extent; k += width) {
      const std::int64_t columns = std::min(width, in.extent - k);
      for (std::int64_t r = 0; r < out.extent; r += rows) {
        const std::int64_t count = std::min(rows, out.extent - r);
        const position q = moved(moved(p, in, k), out, r);
        gather(f_.item, q.x, {columns, in.stride, count, out.stride}, second_copy_);
        gather(1, q.second, {columns, in.second_stride, count, out.second_stride}, marks_);
        for (std::int64_t c = 0; c < columns; ++c) {
          select_neighbours(second_copy_ + c * count * f_.item, marks_ + c * count, count,
                            q.acc + c * in.acc_step * f_.acc_bytes(), q.index, out.index_step);
        }
      }
    }
  }

  const fold& f_;
  const second_operand& second_;
  const nest_loop* const loops_;
  const int count_;
  std::byte* waiting_acc_ = nullptr;
  std::int64_t waiting_ = 0;
  const std::int64_t tile_elements_;
  std::byte* const copy_ = second_.space;
  std::byte* const second_copy_ = copy_ + tile_bytes;
  std::byte* const marks_ = second_copy_ + tile_bytes;
};

// The fastest reduced loop goes outside of kept ones that are faster, so that kernels see batches of more than an
// element.
void bring_reduced_loop(nest_loop* loops, int count) {
  if (count < 2 || loops[count - 1].reduced) return;
  for (int i = count - 2; i >= 0; --i) {
    if (!loops[i].reduced) continue;
    std::rotate(loops + i, loops + i + 1, loops + count - 1);
    return;
  }
}

}  // namespace

void reduce_apart(const fold& f, const nest& n, const box& b, const box_memory& memory) {
  std::array<nest_loop, most_loops> active;
  int count = 0;
  std::int64_t acc = -memory.first_acc, index = -memory.first_index, x = n.offset - memory.origin, second = 0;
  for (std::size_t i = 0; i < n.loops.size(); ++i) {
    const nest_loop& loop = n.loops[i];
    x += b[i].begin * loop.stride;
    second += b[i].begin * loop.second_stride;
    acc += b[i].begin * loop.acc_step;
    index += b[i].begin * loop.index_step;
    if (b[i].end - b[i].begin == 1) continue;
    active[static_cast<std::size_t>(count)] = loop;
    active[static_cast<std::size_t>(count++)].extent = b[i].end - b[i].begin;
  }
  bring_reduced_loop(active.data(), count);
  walker w(f, *memory.second, active.data(), count);
  w.walk({memory.data + x * f.item, memory.second->data + second * memory.second->item,
          memory.acc + acc * f.acc_bytes(), index},
         0);
  w.flush();
}

}  // namespace multifold::inline v0_1::host
