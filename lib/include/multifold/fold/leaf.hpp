// The leaves of the tree in which elements meet: a range of one batch, or of neighbouring batches. Dense arrays only.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "multifold/fold/elements.hpp"

namespace multifold::inline v0_1::detail {

// std::min and std::max, whose header takes a tenth of the time of all that users include.
template <class T>
constexpr T lesser(T a, std::type_identity_t<T> b) {
  return b < a ? b : a;
}
template <class T>
constexpr T greater(T a, std::type_identity_t<T> b) {
  return a < b ? b : a;
}

/// What vectors hold, which may be a bool, too.
template <class T>
struct cell {
  T value;
};

/// Accumulators of neighbouring batches.
template <fold_op Op>
using fold_group = std::vector<cell<typename Op::accumulator>>;

template <fold_op Op>
using fold_lane = typename lane_of<Op>::type;

template <fold_op Op>
inline constexpr bool lanes_are_accumulators = !has_lane<Op> && std::is_same_v<fold_lane<Op>, typename Op::accumulator>;

/// The sizes of leaves, which are part of the meaning of a rounded sum.
template <host_fold_op Op>
struct fold_leaf {
  static constexpr std::int64_t capacity = lesser<std::int64_t>(lane_of<Op>::capacity, 4096);
  // Elements are dealt to as many lanes as keep a core busy; those of an ordered operation are cut into strands, one
  // after the other in the array, which take turns.
  static constexpr bool small = std::is_trivially_copyable_v<fold_lane<Op>> && sizeof(fold_lane<Op>) <= 64;
  static constexpr std::size_t lane_bytes = sizeof(fold_lane<Op>);
  static constexpr std::size_t many = std::bit_floor(lesser<std::size_t>(lane_bytes < 64 ? 256 / lane_bytes : 4, 32));
  static constexpr std::size_t lanes = !small ? 1 : ordered_fold_op<Op> ? 4 : many;
  static constexpr std::size_t tile = !small ? 1 : lesser<std::size_t>(many, 32);  // of columns
  static constexpr std::size_t few = lesser<std::size_t>(lanes, 4);                // for short rows
  /// Elements of a row, and rows of columns.
  static constexpr std::int64_t row = lesser<std::int64_t>(4096, capacity* static_cast<std::int64_t>(lanes));
  static constexpr std::int64_t rows = lesser<std::int64_t>(128, capacity);
};

struct spaced_index {
  std::int64_t first, step;
  std::int64_t operator()(std::int64_t i) const { return first + i * step; }
};

struct listed_index {
  const std::int64_t* at;
  std::int64_t operator()(std::int64_t i) const { return at[i]; }
};

// Operations with nothing to destroy are copied to the kernel, whose stores cannot change them then.
template <class Op>
using held_op = std::conditional_t<std::is_trivially_copyable_v<Op> && sizeof(Op) <= 64, const Op, const Op&>;

// As lane_of does it, but what owns memory is moved.
template <fold_op Op>
fold_lane<Op> empty_lane(const Op& op) {
  if constexpr (has_lane<Op>) return op.lane_identity();
  else if constexpr (lanes_are_accumulators<Op>) return op.identity();
  else return lane_of<Op>::identity(op);
}

template <host_fold_op Op>
void absorb_element(const Op& op, fold_lane<Op>& lane, const typename Op::value_type& x, std::int64_t index) {
  if constexpr (has_lane<Op>) lane = op.absorb(std::move(lane), x, index);
  else if constexpr (lanes_are_accumulators<Op>) lane = op.combine(std::move(lane), op.lift(x, index));
  else lane = lane_of<Op>::absorb(op, std::move(lane), x, index);
}

template <fold_op Op>
typename Op::accumulator widened(const Op& op, fold_lane<Op>& lane) {
  if constexpr (has_lane<Op>) return op.widen(std::move(lane));
  else if constexpr (lanes_are_accumulators<Op>) return std::move(lane);
  else return lane_of<Op>::widen(op, std::move(lane));
}

template <class F, std::size_t... J>
auto array_of(const F& make, std::index_sequence<J...>) {
  return std::array{cell<decltype(make(J))>{make(J)}...};
}

/// Neighbours meet, and then their neighbours: the order is kept.
template <fold_op Op, std::size_t Lanes>
typename Op::accumulator merged_lanes(const Op& op, std::array<cell<fold_lane<Op>>, Lanes>& lanes) {
  auto all = array_of([&](std::size_t j) { return widened(op, lanes[j].value); }, std::make_index_sequence<Lanes>());
  if constexpr (ordered_fold_op<Op>) {
    for (std::size_t step = 1; step < Lanes; step *= 2) {
      for (std::size_t j = 0; j < Lanes; j += 2 * step) {
        all[j].value = op.combine(std::move(all[j].value), std::move(all[j + step].value));
      }
    }
  } else {
    for (std::size_t half = Lanes / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j) {
        all[j].value = op.combine(std::move(all[j].value), std::move(all[j + half].value));
      }
    }
  }
  return std::move(all[0].value);
}

template <std::size_t Lanes, host_fold_op Op, class Index>
typename Op::accumulator reduce_lanes(const Op& from, fold_pointers<Op> x, std::int64_t count, Index index) {
  held_op<Op> op = from;
  auto lanes = array_of([&](std::size_t) { return empty_lane(op); }, std::make_index_sequence<Lanes>());
  constexpr auto step = static_cast<std::int64_t>(Lanes);
  std::int64_t i = 0;
  if constexpr (ordered_fold_op<Op>) {
    const std::int64_t strand = (count + step - 1) / step, shared = count - (step - 1) * strand;
    for (; i < shared; ++i) {
      for (std::int64_t j = 0; j < step; ++j) {
        const std::int64_t at = j * strand + i;
        absorb_element(op, lanes[static_cast<std::size_t>(j)].value, value_at<Op>(x, at), index(at));
      }
    }
    for (; i < strand; ++i) {  // the last strand is the shortest
      for (std::int64_t j = 0; j < step - 1; ++j) {
        const std::int64_t at = j * strand + i;
        if (at >= count) break;
        absorb_element(op, lanes[static_cast<std::size_t>(j)].value, value_at<Op>(x, at), index(at));
      }
    }
  } else {
    for (; i + step <= count; i += step) {
      for (std::int64_t j = 0; j < step; ++j) {
        absorb_element(op, lanes[static_cast<std::size_t>(j)].value, value_at<Op>(x, i + j), index(i + j));
      }
    }
    for (std::size_t j = 0; i < count; ++i, ++j) absorb_element(op, lanes[j].value, value_at<Op>(x, i), index(i));
  }
  return merged_lanes<Op, Lanes>(op, lanes);
}

/// `count` elements, up to fold_leaf<Op>::row, of one batch.
template <host_fold_op Op, class Index>
typename Op::accumulator reduce_row(const Op& op, const fold_pointers<Op>& x, std::int64_t count, Index index) {
  using leaf = fold_leaf<Op>;
  constexpr auto lanes = static_cast<std::int64_t>(leaf::lanes);
  if constexpr (leaf::capacity > 4 * lanes) {
    if (count < 8) return reduce_lanes<1>(op, x, count, index);
    if (count < 4 * lanes) return reduce_lanes<leaf::few>(op, x, count, index);
  }
  return reduce_lanes<leaf::lanes>(op, x, count, index);
}

/// `rows` rows, `steps` bytes apart, of `width` neighbouring batches, each with a lane of its own.
template <host_fold_op Op>
void reduce_columns(const Op& from, cell<fold_lane<Op>>* lanes, std::int64_t width, fold_pointers<Op> x,
                    const std::array<std::int64_t, arrays_of<Op>>& steps, std::int64_t rows, spaced_index index) {
  held_op<Op> op = from;
  constexpr std::size_t tile = fold_leaf<Op>::tile;
  constexpr std::int64_t deep = 8;
  for (std::int64_t r = 0; r < rows; r += deep) {
    const std::int64_t here = lesser(deep, rows - r);
    const auto absorb_tile = [&]<std::size_t... J>(std::int64_t first, std::index_sequence<J...> columns) {
      auto mine = array_of([&](std::size_t j) { return std::move(lanes[first + static_cast<std::int64_t>(j)].value); },
                           columns);
      constexpr std::size_t asked = sizeof...(J) > 1 ? sizeof...(J) : 0;
      fold_pointers<Op> row = x;
      for (std::int64_t d = 0; d < here; ++d) {
        for (std::size_t j = 0; j < sizeof...(J); ++j) {
          absorb_element(op, mine[j].value, value_at<Op>(row, first + static_cast<std::int64_t>(j)), index(r + d));
        }
        for_each_array<Op>([&]<class T>(std::size_t k) {
          // Rows of a page or so are too short for the processor to see where the next ones are.
          const std::byte* const later = row[k] + deep * steps[k] + first * static_cast<std::int64_t>(sizeof(T));
          for (std::size_t at = 0; at < asked * sizeof(T); at += 64) __builtin_prefetch(later + at);
          row[k] += steps[k];
        });
      }
      ((lanes[first + static_cast<std::int64_t>(J)].value = std::move(mine[J].value)), ...);
    };
    std::int64_t w = 0;
    for (; w + static_cast<std::int64_t>(tile) <= width; w += tile) absorb_tile(w, std::make_index_sequence<tile>());
    for (; w < width; ++w) absorb_tile(w, std::make_index_sequence<1>());
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += here * steps[k];
  }
}

}  // namespace multifold::inline v0_1::detail
