// One contiguous row to its first least key: the least key of a tile that fits L1, then its place only if it wins.
#pragma once

#include "host/kernels/row.hpp"
#include "host/ops/arg_bank.hpp"

namespace multifold::inline v0_1::host {

/// Rows up to this length are searched key by key.
inline constexpr std::int64_t longest_few_keys = 12;

template <class T>
struct arg_search {
  using op_type = arg_extremum<T>;
  using key = typename op_type::key;

  MULTIFOLD_INLINE static key key_at(const op_type& op, const packed<T>* x) {
    return static_cast<key>(op.lift(x->value, 0).key);
  }

  MULTIFOLD_INLINE static key least(const op_type& op, const packed<T>* x, std::int64_t length) {
    constexpr int lanes = 64;
    key best[lanes];
    for (int j = 0; j < lanes; ++j) best[j] = greatest_key<key>;
    std::int64_t k = 0;
    for (; k + lanes <= length; k += lanes) {
      prefetch_behind<ahead_of_reads>(x + k, lanes * sizeof(T));
      for (int j = 0; j < lanes; ++j) {
        const key now = key_at(op, x + k + j);
        best[j] = now < best[j] ? now : best[j];
      }
    }
    key all = greatest_key<key>;
    for (; k < length; ++k) {
      const key now = key_at(op, x + k);
      all = now < all ? now : all;
    }
    for (int j = 0; j < lanes; ++j) all = best[j] < all ? best[j] : all;
    return all;
  }

  // The first least key of a few elements, in one pass without branches; no_index if there are only omitted NaNs.
  MULTIFOLD_INLINE static typename op_type::accumulator of_few(const op_type& op, const row_span<T>& row,
                                                               std::int64_t index, std::int64_t step) {
    key best = floating_storage<T> ? greatest_key<key> : key_at(op, row.data);
    std::int64_t at = floating_storage<T> ? -1 : 0;
    for (std::int64_t k = 0; k < row.length; ++k) {
      const key now = key_at(op, row.data + k);
      at = blend(now < best, k, at);
      best = now < best ? now : best;
    }
    return {best, at < 0 ? op_type::no_index : index + at * step};
  }

  // The place of the first `wanted`, which is there.
  MULTIFOLD_INLINE static std::int64_t find(const op_type& op, const packed<T>* x, std::int64_t length, key wanted) {
    constexpr int block = 64;
    std::int64_t k = 0;
    for (; k + block <= length; k += block) {
      key found = 0;
      for (int j = 0; j < block; ++j) found = static_cast<key>(found | (key_at(op, x + k + j) == wanted ? 1 : 0));
      if (found != 0) break;
    }
    while (k < length - 1 && key_at(op, x + k) != wanted) ++k;
    return k;
  }
};

/// What `search` finds in tiles, as one row.
template <class search, class T>
MULTIFOLD_INLINE typename arg_extremum<T>::accumulator place_of_extreme(const arg_extremum<T>& op,
                                                                        const row_span<T>& row, std::int64_t index,
                                                                        std::int64_t step) {
  const packed<T>* const x = row.data;
  const std::int64_t length = row.length;
  using op_type = arg_extremum<T>;
  constexpr std::int64_t tile = 8192 / sizeof(T);
  auto best = op.identity();
  if (length == 0) return best;
  if (length <= longest_few_keys) return search::of_few(op, row, index, step);
  for (std::int64_t k = 0, here = 0; k < length; k += here) {
    const std::int64_t most = k == 0 ? tile + elements_before_line(x) : tile;  // the others begin with a line
    here = length - k < most ? length - k : most;
    const auto least = search::least(op, x + k, here);
    // The first element wins even with the greatest key, unless that key stands for an omitted NaN.
    const bool first = best.index == op_type::no_index && !(floating_storage<T> && least == best.key);
    if (!first && least >= best.key) continue;
    best = {least, index + (k + search::find(op, x + k, here, least)) * step};
  }
  return best;
}

template <class T>
MULTIFOLD_INLINE typename arg_extremum<T>::accumulator row_of(const arg_extremum<T>& op, const row_span<T>& row,
                                                              std::int64_t index, std::int64_t step) {
  return place_of_extreme<arg_search<T>>(op, row, index, step);
}

}  // namespace multifold::inline v0_1::host
