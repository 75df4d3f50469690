// A tile of integers to the exact sums of a set of moments: in lanes of 64 bits, products of 64 bits in 128.
#pragma once

#include "host/moments/integers/partial.hpp"
#include "host/moments/tile.hpp"

namespace multifold::inline v0_1::host {
namespace detail {

/// The sum of 64-bit numbers, which may be signed, in two halves that do not overflow.
template <class C>
struct halved_sum {
  static constexpr int lanes = 32;
  std::uint64_t low[lanes];
  C high[lanes];

  MULTIFOLD_INLINE halved_sum() {
    for (int j = 0; j < lanes; ++j) low[j] = 0, high[j] = 0;
  }
  MULTIFOLD_INLINE void add(int j, C value) {
    low[j] += static_cast<std::uint64_t>(value) & 0xffffffffu;
    high[j] += static_cast<C>(value >> 32);
  }
  MULTIFOLD_INLINE int128_t total() const {
    std::uint64_t l = 0;
    C h = 0;
    for (int j = 0; j < lanes; ++j) l += low[j], h += high[j];
    return static_cast<int128_t>(h) * (int128_t{1} << 32) + l;
  }
};

/// The same where 2^10 numbers cannot overflow.
template <class C>
struct narrow_sum {
  static constexpr int lanes = 32;
  C lane[lanes];

  MULTIFOLD_INLINE narrow_sum() {
    for (int j = 0; j < lanes; ++j) lane[j] = 0;
  }
  MULTIFOLD_INLINE void add(int j, C value) { lane[j] += value; }
  MULTIFOLD_INLINE int128_t total() const {
    C sum = 0;
    for (int j = 0; j < lanes; ++j) sum += lane[j];
    return sum;
  }
};

/// The sum of term(x[k], y[k]), where a term has at most `Bits` bits.
template <int Bits, class T, class Term>
MULTIFOLD_INLINE int128_t sum_of_terms(const packed<T>* x, const packed<T>* y, std::int64_t count, const Term& term) {
  using C = decltype(term(T{}, T{}));
  std::conditional_t<(Bits > 52), halved_sum<C>, narrow_sum<C>> sum;
  constexpr int lanes = decltype(sum)::lanes;
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    for (int j = 0; j < lanes; ++j) sum.add(j, term(T{x[k + j].value}, T{y[k + j].value}));
  }
  for (; k < count; ++k) sum.add(0, term(T{x[k].value}, T{y[k].value}));
  return sum.total();
}

/// What elements are added up as: 2^10 of 16 bits fit 32.
template <class T>
using element_lane = std::conditional_t<sizeof(T) <= 2, std::int32_t, carrier_of<T>>;

/// The magnitude of an integer.
template <class T>
MULTIFOLD_INLINE auto magnitude_of_element(T x) {
  if constexpr (sizeof(T) <= 2) {
    const auto value = static_cast<std::int32_t>(carried(x));
    return value < 0 ? -value : value;
  } else {
    const auto value = carried(x);
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? std::uint64_t{0} - bits : bits;
  }
}

/// Adds the products to `part`: see integer_parts.
template <class T>
MULTIFOLD_INLINE void add_integer_products(int128_t* part, const packed<T>* x, const packed<T>* y, std::int64_t count) {
  using C = carrier_of<T>;
  if constexpr (sizeof(T) < 8) {
    constexpr int bits = 16 * sizeof(T);
    part[0] += sum_of_terms<bits>(x, y, count, [](T a, T b) { return static_cast<C>(carried(a) * carried(b)); });
  } else {
    using wide = std::conditional_t<std::is_signed_v<C>, int128_t, uint128_t>;
    uint128_t low = 0;
    int128_t high = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const wide product = static_cast<wide>(x[k].value) * static_cast<wide>(y[k].value);
      low += static_cast<std::uint64_t>(product);
      high += static_cast<C>(product >> 64);
    }
    part[0] += static_cast<int128_t>(low);
    part[1] += high;
  }
}

}  // namespace detail

/// Adds a tile to the sums of its batch.
template <bool, storage_type T, moment_set Set>
requires(!floating_storage<T>) MULTIFOLD_INLINE
    void gather_tile(const integer_gather<T, Set>&, integer_partial<T, Set>& into, const moment_tile<T>& s) {
  static_assert(longest_tile<T, Set> <= 1 << 10, "lanes of a tile hold no more");
  using parts = integer_parts<T, Set>;
  constexpr int bits = 8 * sizeof(T);
  const std::int64_t count = s.indices.count;
  const auto element = [](T x, T) { return static_cast<detail::element_lane<T>>(carried(x)); };
  const auto magnitude = [](T x, T) { return detail::magnitude_of_element(x); };
  if constexpr (Set == moment_set::absolute) {
    into.part[parts::x] += detail::sum_of_terms<bits>(s.x, s.x, count, magnitude);
  } else if constexpr (sums_elements(Set)) {
    into.part[parts::x] += detail::sum_of_terms<bits>(s.x, s.x, count, element);
  }
  if constexpr (Set == moment_set::joint) into.part[parts::y] += detail::sum_of_terms<bits>(s.y, s.y, count, element);
  if constexpr (sums_products(Set)) {
    detail::add_integer_products(into.part + parts::products, s.x, reads_two_arrays(Set) ? s.y : s.x, count);
  }
  if constexpr (Set == moment_set::description)
    merge_extremes<T>(into.marks, s.x, s.indices, mark_elements(s.x, count));
  into.count += count;
}

}  // namespace multifold::inline v0_1::host
