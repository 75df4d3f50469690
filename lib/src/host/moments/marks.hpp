// Extremes, their indices and zeros of a tile, for descriptions. Values are compared lane by lane; an index is
// looked for only where an extreme improves.
#pragma once

#include "host/elements/blend.hpp"
#include "host/elements/packed.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::host {

/// The extreme keys of elements that are not NaN, and how many are zero.
template <class T>
struct marked_elements {
  using key = key_of<T>;
  key least, greatest;
  std::int64_t zeros;
};

template <storage_type T>
MULTIFOLD_INLINE bool is_zero(T x) {
  if constexpr (std::is_same_v<T, bool8>) return x.bits == 0;
  else return x == 0;
}

/// At most moment_tile_elements.
template <storage_type T>
MULTIFOLD_INLINE marked_elements<T> mark_elements(const packed<T>* x, std::int64_t count) {
  using key = key_of<T>;
  constexpr int lanes = 128 / sizeof(T);
  key least[lanes], greatest[lanes], zeros[lanes];
  for (int j = 0; j < lanes; ++j) least[j] = greatest_key<key>, greatest[j] = least_key<key>, zeros[j] = 0;
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    for (int j = 0; j < lanes; ++j) {
      const T value = x[k + j].value;
      const key here = order_key(value, key{0});
      least[j] = here < least[j] ? here : least[j];
      greatest[j] = greatest[j] < here ? here : greatest[j];
      zeros[j] = static_cast<key>(zeros[j] + (is_zero(value) ? 1 : 0));
    }
  }
  marked_elements<T> all{least[0], greatest[0], 0};
  for (int j = 0; j < lanes; ++j) {
    all.least = least[j] < all.least ? least[j] : all.least;
    all.greatest = all.greatest < greatest[j] ? greatest[j] : all.greatest;
    all.zeros += zeros[j];
  }
  for (; k < count; ++k) {
    const T value = x[k].value;
    const key here = order_key(value, key{0});
    all.least = here < all.least ? here : all.least;
    all.greatest = all.greatest < here ? here : all.greatest;
    all.zeros += is_zero(value) ? 1 : 0;
  }
  return all;
}

/// Where the elements of a tile stand in their batch.
struct index_range {
  std::int64_t first, step, count;

  std::int64_t at(std::int64_t k) const { return first + k * step; }
  std::int64_t lowest() const { return step < 0 ? at(count - 1) : first; }
};

/// The element with the lowest index for which `matches(element)`, of which there is one: the first, or the last.
template <class T, class Matches>
MULTIFOLD_INLINE std::int64_t find_element(const packed<T>* x, const index_range& indices, const Matches& matches) {
  constexpr std::int64_t block = 64;
  if (indices.step < 0) {
    std::int64_t k = indices.count - 1;
    while (!matches(T{x[k].value})) --k;
    return k;
  }
  std::int64_t k = 0;
  for (; k + block <= indices.count; k += block) {
    int found = 0;
    for (std::int64_t j = 0; j < block; ++j) found |= matches(T{x[k + j].value}) ? 1 : 0;
    if (found != 0) break;
  }
  while (!matches(T{x[k].value})) ++k;
  return k;
}

/// Merges the lowest index of elements that have this key, the least of the flipped order, unless it cannot win: only
/// then `find()` says which it is.
template <class Best, class Find>
MULTIFOLD_INLINE void merge_index(Best& best, decltype(Best::key) key, const index_range& indices, const Find& find) {
  if (key > best.key || (key == best.key && best.index <= indices.lowest())) return;
  const std::int64_t index = indices.at(find());
  if (key < best.key || index < best.index) best = {key, index};
}

/// Merges the extremes of elements `x`, of which `found` are those that are not NaN.
template <class T, class C>
MULTIFOLD_INLINE void merge_extremes(description_marks<C>& marks, const packed<T>* x, const index_range& indices,
                                     const marked_elements<T>& found) {
  using key = key_of<C>;
  const T least = element_of_key<T>(found.least), greatest = element_of_key<T>(found.greatest);
  const key down = order_key(carried(least), key{0});
  const key up = static_cast<key>(~order_key(carried(greatest), key{0}));
  marks.zero += found.zeros;
  marks.min = down < marks.min ? down : marks.min;
  marks.max = up < marks.max ? up : marks.max;
  // No number has the key of NaN here.
  const auto find = [&](key_of<T> wanted) {
    return [&, wanted] {
      return find_element(x, indices, [wanted](T e) { return order_key(e, greatest_key<key_of<T>>) == wanted; });
    };
  };
  merge_index(marks.argmin, down, indices, find(found.least));
  merge_index(marks.argmax, up, indices, find(found.greatest));
}

/// Merges NaNs that propagate, of which there are some.
template <class C>
[[gnu::noinline]] void merge_nans(description_marks<C>& marks, const packed<C>* x, const index_range& indices) {
  using key = key_of<C>;
  marks.min = marks.max = least_key<key>;
  const auto find = [&] { return find_element(x, indices, [](C e) { return e != e; }); };
  merge_index(marks.argmin, least_key<key>, indices, find);
  merge_index(marks.argmax, least_key<key>, indices, find);
}

}  // namespace multifold::inline v0_1::host
