// Sums of moments of integers in words of 128 bits, which no number of elements overflows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/moments/partial.hpp"

namespace multifold::inline v0_1::host {

/// Where the sums of a set lie in a row of numbers. Elements number less than 2^63: their sum, and that of products of
/// 32 bits, stay below 2^127. Products of 64 bits are gathered in halves: their lower 64 bits, and what is above.
template <class T, moment_set Set>
struct integer_parts {
  static constexpr int product_count = sizeof(T) == 8 ? 2 : 1;
  static constexpr int x = 0;
  static constexpr int y = x + (sums_elements(Set) ? 1 : 0);
  static constexpr int products = y + (Set == moment_set::joint ? 1 : 0);
  static constexpr int count = products + (sums_products(Set) ? product_count : 0);
};

template <class T, moment_set Set>
struct integer_partial {
  using parts = integer_parts<T, Set>;
  int128_t part[parts::count];
  std::int64_t count;
  [[no_unique_address]] partial_marks_of<carrier_of<T>, Set> marks;
};

namespace detail {

/// Adds value * 2^exponent.
template <exact_format Format>
void add_whole(exact_accumulator<Format>& sum, int128_t value, int exponent) {
  constexpr int bits = 62;
  const bool negative = value < 0;
  uint128_t rest = multifold::detail::magnitude_of(value);
  for (; rest != 0; rest >>= bits, exponent += bits) {
    const auto low = static_cast<std::int64_t>(rest & ((uint128_t{1} << bits) - 1));
    sum.add_quanta(negative ? -low : low, exponent);
  }
}

/// Limbs from number First on as an integer of 128 bits, which they fit.
template <int First, int N>
int128_t whole_of(const limbs<N>& normalised) {
  const bool negative = normalised.limb[N - 1] < 0;
  uint128_t value = negative ? ~uint128_t{0} : 0;
  for (int i = std::min(N, First + 4) - 1; i >= First; --i) {
    value = (value << 32) | static_cast<std::uint32_t>(normalised.limb[i]);
  }
  return static_cast<int128_t>(value);
}

}  // namespace detail

/// The operation of the engine's moments of integers.
template <storage_type T, moment_set Set>
requires(!floating_storage<T>) struct integer_gather {
  using element = T;
  using value_type = typename exact_moments<T, Set>::value_type;
  using parts = integer_parts<T, Set>;
  using accumulator = integer_partial<T, Set>;
  using sums = moment_sums<T, Set>;
  static constexpr moment_set set = Set;

  exact_moments<T, Set> moments;

  static accumulator identity() { return {}; }

  static void merge(accumulator& into, const accumulator& from) {
    for (int i = 0; i < parts::count; ++i) into.part[i] += from.part[i];
    into.count += from.count;
    into.marks.merge(from.marks);
  }

  /// Adds one element, or a pair.
  void add(accumulator& into, value_type v, std::int64_t index) const {
    if constexpr (reads_two_arrays(Set)) add_sums(into, v.x, v.y);
    else add_sums(into, v, v);
    if constexpr (Set == moment_set::description) into.marks.add(carried(v), index, moments.nan);
  }

  /// The same without marks; `y` is `x` where one array is read.
  static void add_sums(accumulator& into, T first, T second) {
    const auto x = carried(first), y = carried(second);
    if constexpr (Set == moment_set::absolute) into.part[parts::x] += x < 0 ? -int128_t{x} : int128_t{x};
    else if constexpr (sums_elements(Set)) into.part[parts::x] += x;
    if constexpr (Set == moment_set::joint) into.part[parts::y] += y;
    if constexpr (sums_products(Set)) add_product(into.part, x, y);
    ++into.count;
  }

  static void add_product(int128_t* part, carrier_of<T> x, carrier_of<T> y) {
    using wide = std::conditional_t<std::is_signed_v<carrier_of<T>>, int128_t, uint128_t>;
    const wide product = static_cast<wide>(x) * static_cast<wide>(y);
    if constexpr (parts::product_count == 1) {
      part[parts::products] += static_cast<int128_t>(product);
    } else {
      part[parts::products] += static_cast<std::uint64_t>(product);
      part[parts::products + 1] += static_cast<carrier_of<T>>(product >> 64);
    }
  }

  /// Adds an accumulator to sums as the other engine has them.
  static void add_to(sums& wide, const accumulator& a) {
    const exact_counters counters{a.count, 0, 0, 0, a.count > 0 ? 1 : 0};
    if constexpr (sums_elements(Set)) put(wide.x, counters, a.part[parts::x]);
    if constexpr (Set == moment_set::joint) put(wide.y, counters, a.part[parts::y]);
    if constexpr (sums_products(Set)) {
      put(wide.products, counters, a.part[parts::products]);
      if constexpr (parts::product_count == 2) detail::add_whole(wide.products, a.part[parts::products + 1], 64);
    }
    if constexpr (Set == moment_set::description) wide.marks.merge(a.marks);
  }

  /// Adds such sums.
  static void merge_whole(accumulator& into, const sums& wide) {
    accumulator more = identity();
    if constexpr (sums_elements(Set)) {
      more.part[parts::x] = detail::whole_of<0>(wide.x.normalised_limbs());
      more.count = wide.x.counters().n;
    }
    if constexpr (Set == moment_set::joint) more.part[parts::y] = detail::whole_of<0>(wide.y.normalised_limbs());
    if constexpr (sums_products(Set)) {
      const auto limbs = wide.products.normalised_limbs();
      if constexpr (parts::product_count == 1) {
        more.part[parts::products] = detail::whole_of<0>(limbs);
      } else {
        more.part[parts::products] = static_cast<std::uint64_t>(detail::whole_of<0>(limbs));
        more.part[parts::products + 1] = detail::whole_of<2>(limbs);
      }
      more.count = wide.products.counters().n;
    }
    if constexpr (Set == moment_set::description) more.marks = wide.marks;
    merge(into, more);
  }

 private:
  template <exact_format Format>
  static void put(exact_accumulator<Format>& sum, const exact_counters& counters, int128_t value) {
    sum.add_counts(counters);
    detail::add_whole(sum, value, 0);
  }
};

}  // namespace multifold::inline v0_1::host
