// Marks of a description of batches side by side: extremes lane by lane, and where they are only if they improve.
#pragma once

#include "host/moments/marks.hpp"

namespace multifold::inline v0_1::host {

/// Rows of N lanes, of which the first `n` are batches; `marks_of(j)` are those of batch j. `omits`: NaN takes no part,
/// and is counted; there must be none otherwise.
template <class T, int N, class MarksOf>
MULTIFOLD_INLINE void mark_block(const packed<T>* x, std::int64_t stride, const index_range& indices, int n, bool omits,
                                 const MarksOf& marks_of) {
  using key = key_of<T>;
  constexpr key greatest = greatest_key<key>;
  key low[N], high[N], zeros[N], nans[N];
  for (int j = 0; j < N; ++j) low[j] = high[j] = greatest, zeros[j] = nans[j] = 0;
  const packed<T>* row = x;
  for (std::int64_t k = 0; k < indices.count; ++k, row += stride) {
    for (int j = 0; j < n; ++j) {
      const T value = row[j].value;
      const key here = order_key(value, greatest);
      key there = static_cast<key>(~here);
      if constexpr (floating_storage<T>) {
        there = blend(here == greatest, greatest, there);
        nans[j] = static_cast<key>(nans[j] + (here == greatest ? 1 : 0));
      }
      low[j] = here < low[j] ? here : low[j];
      high[j] = there < high[j] ? there : high[j];
      zeros[j] = static_cast<key>(zeros[j] + (is_zero(value) ? 1 : 0));
    }
  }
  for (int j = 0; j < n; ++j) {
    auto& marks = marks_of(j);
    marks.zero += zeros[j];
    if (omits) marks.nan += nans[j];
    if (floating_storage<T> && nans[j] == indices.count) continue;
    const auto find = [&](key wanted) {
      return [&, wanted] {
        const bool down = indices.step < 0;
        std::int64_t k = down ? indices.count - 1 : 0;
        while (order_key(T{x[k * stride + j].value}, greatest) != wanted) k += down ? -1 : 1;
        return k;
      };
    };
    using carrier_key = key_of<carrier_of<T>>;
    const key most = static_cast<key>(~high[j]);
    const carrier_key least_carried = order_key(carried(element_of_key<T>(low[j])), carrier_key{0});
    const auto most_carried = static_cast<carrier_key>(~order_key(carried(element_of_key<T>(most)), carrier_key{0}));
    marks.min = least_carried < marks.min ? least_carried : marks.min;
    marks.max = most_carried < marks.max ? most_carried : marks.max;
    merge_index(marks.argmin, least_carried, indices, find(low[j]));
    merge_index(marks.argmax, most_carried, indices, find(most));
  }
}

}  // namespace multifold::inline v0_1::host
