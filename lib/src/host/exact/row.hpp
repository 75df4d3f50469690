// Rows to their exact sums: tile by tile, and short rows many at a time.
#pragma once

#include "host/exact/tile.hpp"
#include "host/fold.hpp"

namespace multifold::inline v0_1::host {

/// Elements of one batch that came too hard for quick_sum.
template <class T>
[[gnu::noinline]] void add_slowly(const exact_gather<T, false>& op, exact_partial& into, const packed<T>* x,
                                  std::int64_t count) {
  op.kernels->add_all(op.spill(into), x, count);
}

/// The same without the NaNs among them.
template <class T>
[[gnu::noinline]] void add_slowly(const exact_gather<T, true>& op, counted_partial& into, const packed<T>* x,
                                  std::int64_t count) {
  packed<T> numbers[exact_tile_elements<T>];
  for (std::int64_t k = 0; k < count;) {
    std::int64_t kept = 0;
    for (; k < count && kept < exact_tile_elements<T>; ++k) {
      numbers[kept].value = x[k].value;
      kept += to_double(T{x[k].value}) == to_double(T{x[k].value}) ? 1 : 0;
    }
    into.count += kept;
    const exact_pair sum = op.kernels->sum_tile(numbers, kept);
    if (sum.lost()) op.kernels->add_all(op.spill(into), numbers, kept);
    else op.add(into, sum);
  }
}

/// How tiles were lately: data that is hard twice is hard more often, so failures in a row multiply the tiles
/// that go a slower way before a quicker one is tried again. An array comes in many rows and ranges, so a thread
/// remembers them.
struct recent_tiles {
  std::int64_t unwatched;  // until one is watched again; less than zero: none will be
  std::int64_t slow = 0;   // until one is summed in lanes again

  // What those will be after the next failure.
  std::int64_t patience_to_watch = 0;
  std::int64_t patience_to_try = 0;

  static recent_tiles& of_this_thread() {
    thread_local recent_tiles lately{rounding_watch::works() ? 0 : -1};
    return lately;
  }

  static std::int64_t more(std::int64_t patience) {
    constexpr std::int64_t most = 128;
    return patience == 0 ? 8 : patience < most ? 4 * patience : most;
  }
};

template <class T, bool Omit>
struct exact_row_kernel {
  using op_type = exact_gather<T, Omit>;
  using accumulator = typename op_type::accumulator;

  const op_type& op;
  const rows_work& w;
  recent_tiles& lately;

  // Rows up to this length are taken several at a time.
  static constexpr std::int64_t short_row = is_narrow<T> ? 128 : 48;
  static constexpr int rows_together = 8;

  MULTIFOLD_INLINE static row_span<T> beginning(row_span<T> row, std::int64_t most) {
    if (row.length > most) row.length = most;
    return row;
  }
  MULTIFOLD_INLINE const packed<T>* row_at(std::int64_t r) const { return packed_at<T>(w.data) + r * w.row_stride; }
  MULTIFOLD_INLINE accumulator& sum_of(std::int64_t r) const {
    return reinterpret_cast<accumulator*>(w.acc)[r * w.acc_step];
  }
  // Rows that ascend in memory may be read past their ends, up to the end of the last.
  MULTIFOLD_INLINE row_span<T> span_of(std::int64_t r) const {
    return {row_at(r), w.length, (w.row_stride > 0 ? (w.rows - 1 - r) * w.row_stride : 0) + w.length};
  }
  MULTIFOLD_INLINE void add(std::int64_t r, const exact_pair& pair, std::int64_t count) const {
    accumulator& into = sum_of(r);
    if constexpr (Omit) into.count += count;
    op.add(into, pair);
  }

  // To begin and to end a watch takes longer than so few additions of pairs.
  static constexpr std::int64_t few = 8;

  MULTIFOLD_INLINE static exact_pair sum_of_few(const row_span<T>& row) {
    pair_lanes<1> sum;
    sum.clear(1);
    for (std::int64_t k = 0; k < row.length; ++k) sum.add(0, to_double(T{row.data[k].value}));
    return sum.at(0);
  }

  // Vectors across two lines of the cache are loaded at half the speed, and memory from malloc seldom begins with a
  // line. On an EPYC, f64 in L2 take 0.11 ns an element in place of 0.14; f32 have to be converted, and gain nothing.
  static constexpr std::int64_t worth_aligning = sizeof(T) == 8 ? 2048 : INT64_MAX;

  // The elements of a long row up to the first that begins a line; none if there is no such.
  MULTIFOLD_INLINE static row_span<T> before_line(const row_span<T>& row) {
    const std::uintptr_t behind = (0 - reinterpret_cast<std::uintptr_t>(row.data)) % cache_line;
    const bool is_worth_it = row.length >= worth_aligning && behind % sizeof(T) == 0;
    return beginning(row, is_worth_it ? static_cast<std::int64_t>(behind / sizeof(T)) : 0);
  }

  // One after the other.
  MULTIFOLD_INLINE void one(std::int64_t r) const {
    row_span<T> rest = span_of(r);
    if (!always_fits<T> && rest.length <= few) {
      const exact_pair sum = sum_of_few(rest);
      if (!sum.lost()) return add(r, sum, rest.length);
    }
    const auto advance = [&](std::int64_t count) {
      rest = {rest.data + count, rest.length - count, rest.readable - count};
    };
    const auto adds = [&](const exact_pair& sum, std::int64_t count) {
      if (sum.lost()) return false;
      add(r, sum, count);
      advance(count);
      return true;
    };
    if (const row_span<T> head = before_line(rest); head.length > 0) adds(sum_of_few(head), head.length);
    while (rest.length > 0) {
      if constexpr (!always_fits<T>) {
        if (lately.unwatched > 0) --lately.unwatched;
        if (lately.unwatched == 0) {
          const row_span<T> tile = beginning(rest, watched_tile_elements<T>);
          if (adds(watched_sum(tile), tile.length)) {
            lately.patience_to_watch = 0;
            continue;
          }
          lately.unwatched = lately.patience_to_watch;
          lately.patience_to_watch = lately.more(lately.patience_to_watch);
        }
      }
      if (lately.slow == 0) {
        const row_span<T> tile = beginning(rest, exact_tile_elements<T>);
        if (adds(quick_sum(*op.kernels, tile), tile.length)) {
          lately.patience_to_try = 0;
          continue;
        }
        lately.slow = 1 + lately.patience_to_try;
        lately.patience_to_try = lately.more(lately.patience_to_try);
      }
      const row_span<T> tiles = beginning(rest, lately.slow * exact_tile_elements<T>);
      lately.slow -= (tiles.length + exact_tile_elements<T> - 1) / exact_tile_elements<T>;
      slowly(r, tiles);
      advance(tiles.length);
    }
  }

  MULTIFOLD_INLINE void slowly(std::int64_t r, const row_span<T>& row) const {
    if (!Omit && only_negative_zeros(row.data, row.length)) return add(r, {-0.0, 0.0}, row.length);
    add_slowly(op, sum_of(r), row.data, row.length);
  }

  // Dense rows whose exponents are looked at together: as fast as rounded sums.
  MULTIFOLD_INLINE void short_rows_of_narrow() const {
    const std::int64_t block = 1024 / w.length;
    for (std::int64_t r = 0; r < w.rows; r += block) {
      const std::int64_t end = r + block < w.rows ? r + block : w.rows;
      if (range_of(row_at(r), (end - r) * w.length).fits(bits_of_count(w.length))) {
        for (std::int64_t i = r; i < end; ++i) add(i, {plain_sum(span_of(i)), 0.0}, w.length);
      } else {
        short_rows_of_pairs(r, end);
      }
    }
  }

  // A row a lane.
  MULTIFOLD_INLINE void short_rows_of_pairs(std::int64_t first, std::int64_t end) const {
    std::int64_t r = first;
    for (; r + rows_together <= end; r += rows_together) {
      const packed<T>* const x = row_at(r);
      if constexpr (!is_narrow<T>) prefetch_behind(x, rows_together * w.length * static_cast<std::int64_t>(sizeof(T)));
      pair_lanes<rows_together> sums;
      sums.clear(rows_together);
      for (std::int64_t k = 0; k < w.length; ++k) {
        for (int j = 0; j < rows_together; ++j) sums.add(j, to_double(T{x[j * w.row_stride + k].value}));
      }
      for (int j = 0; j < rows_together; ++j) {
        const exact_pair sum = sums.at(j);
        if (!sum.lost()) add(r + j, sum, w.length);
        else add_slowly(op, sum_of(r + j), row_at(r + j), w.length);
      }
    }
    for (; r < end; ++r) one(r);
  }
};

template <class T, bool Omit>
MULTIFOLD_INLINE void rows_of(const exact_gather<T, Omit>& op, const rows_work& w) {
  const exact_row_kernel<T, Omit> kernel{op, w, recent_tiles::of_this_thread()};
  if constexpr (!is_narrow<T>) {
    if (w.length <= kernel.short_row) return kernel.short_rows_of_pairs(0, w.rows);
  } else if constexpr (!std::is_same_v<T, f16>) {
    if (w.length <= kernel.short_row && w.row_stride == w.length) return kernel.short_rows_of_narrow();
  }
  for (std::int64_t r = 0; r < w.rows; ++r) kernel.one(r);
}

}  // namespace multifold::inline v0_1::host
