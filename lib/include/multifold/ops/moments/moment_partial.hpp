// What a part of a batch comes to in norms, dot products, variances and descriptions: sums that are small enough to be
// handed from pass to pass. Those of integers hold everything; expansions of floating point say what they are off by,
// and what is lost, or not certain enough, is read again by other means.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/near/near_windows.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1 {

/// A sum of products of 64-bit integers: high 2^64 + low.
struct product_total {
  int128_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t unused = 0;  // no padding: passes copy their partial results as bytes

  MULTIFOLD_HD constexpr void add(std::uint64_t more, int128_t above) {
    low += more;
    high += above + (low < more ? 1 : 0);
  }
};

/// The type whose partial moments those of T are: all integers of a width share theirs, and those of 2 and 4 bytes.
template <storage_type T>
using partial_carrier_of = std::conditional_t<
    floating_storage<T>, carrier_of<T>,
    std::conditional_t<sizeof(T) == 1, std::int8_t, std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>>>;

/// Sums of elements of T, and of their products. 2^47 elements of 1 or 2 bytes and 2^62 of others stay inside of them.
template <class T>
struct moment_totals {
  using sum = std::conditional_t<sizeof(T) == 1, std::int64_t, int128_t>;  // aligned as `products` is
  using products =
      std::conditional_t<sizeof(T) == 1, std::int64_t, std::conditional_t<sizeof(T) <= 4, int128_t, product_total>>;
};
template <floating_storage T>
struct moment_totals<T> {
  using sum = expansion<2>;
  using products = expansion<sizeof(T) == 8 ? 4 : 3>;
};

namespace detail {

template <class Sum>
struct partial_x {
  Sum x{};
};
template <class Sum>
struct partial_y {
  Sum y{};
};
template <class Sum>
struct partial_products {
  Sum products{};
};

// Of finite elements: how many are zeros, and the first of the least and of the greatest, as order keys of their dtype.
struct partial_marks {
  static constexpr std::int64_t no_index = INT64_MAX;
  std::int64_t zeros = 0;
  std::int64_t least = INT64_MAX, least_at = no_index;
  std::int64_t greatest = INT64_MIN, greatest_at = no_index;
  std::int64_t unused = 0;  // no padding behind it, either

  MULTIFOLD_HD constexpr void see(std::int64_t key, std::int64_t index) {
    if (key < least || (key == least && index < least_at)) least = key, least_at = index;
    if (key > greatest || (key == greatest && index < greatest_at)) greatest = key, greatest_at = index;
  }
  /// What is empty is neither less, nor greater, nor first.
  MULTIFOLD_HD constexpr void merge(const partial_marks& other) {
    zeros += other.zeros;
    const bool less = other.least < least || (other.least == least && other.least_at < least_at);
    least = less ? other.least : least;
    least_at = less ? other.least_at : least_at;
    const bool more = other.greatest > greatest || (other.greatest == greatest && other.greatest_at < greatest_at);
    greatest = more ? other.greatest : greatest;
    greatest_at = more ? other.greatest_at : greatest_at;
  }
  /// The same elements, in a batch that began `by` elements earlier.
  MULTIFOLD_HD constexpr void move(std::int64_t by) {
    if (least_at != no_index) least_at += by;
    if (greatest_at != no_index) greatest_at += by;
  }
};
struct described_marks {
  partial_marks marks;
};

// Which sum an error is of.
enum error_of : int { error_of_x, error_of_y, error_of_products };

// With them, three expansions of narrow formats would leave an SM room for two blocks of tiles, not three.
template <class T, moment_set Set>
inline constexpr bool has_errors = floating_storage<T> && (Set != moment_set::joint || sizeof(T) == 8);
struct partial_errors {
  sum_errors errors;
};

template <int Parts>
MULTIFOLD_HD constexpr void add_total(expansion<Parts>& into, const expansion<Parts>& other) {
  into.add(other);
}
MULTIFOLD_HD constexpr void add_total(std::int64_t& into, std::int64_t other) { into += other; }
MULTIFOLD_HD constexpr void add_total(int128_t& into, int128_t other) { into += other; }
MULTIFOLD_HD constexpr void add_total(product_total& into, const product_total& other) {
  into.add(other.low, other.high);
}

}  // namespace detail

/// Of a set of moments.
template <storage_type Carrier, moment_set Set, class Totals = moment_totals<Carrier>>
struct moment_partial
    : std::conditional_t<sums_elements(Set), detail::partial_x<typename Totals::sum>, detail::nothing<0>>,
      std::conditional_t<Set == moment_set::joint, detail::partial_y<typename Totals::sum>, detail::nothing<1>>,
      std::conditional_t<sums_products(Set), detail::partial_products<typename Totals::products>, detail::nothing<2>>,
      std::conditional_t<Set == moment_set::description, detail::described_marks, detail::nothing<3>>,
      std::conditional_t<detail::has_errors<Carrier, Set>, detail::partial_errors, detail::nothing<4>> {
  static constexpr bool has_errors = detail::has_errors<Carrier, Set>;

  MULTIFOLD_HD constexpr void merge(const moment_partial& other) {
    const auto add = [&](auto& sum, const auto& more, [[maybe_unused]] int which) {
      if constexpr (has_errors) this->errors.add(which, detail::add_roughly(sum, more));
      else detail::add_total(sum, more);
    };
    if constexpr (sums_elements(Set)) add(this->x, other.x, detail::error_of_x);
    if constexpr (Set == moment_set::joint) add(this->y, other.y, detail::error_of_y);
    if constexpr (sums_products(Set)) add(this->products, other.products, detail::error_of_products);
    if constexpr (has_errors) this->errors.merge(other.errors);
    if constexpr (Set == moment_set::description) this->marks.merge(other.marks);
  }
};

/// Calls `f.template operator()<Set>()` with the set of `op`.
template <class F>
decltype(auto) visit_set(op_kind op, F&& f) {
  switch (moments_of(op)) {
    case moment_set::absolute: return f.template operator()<moment_set::absolute>();
    case moment_set::squares: return f.template operator()<moment_set::squares>();
    case moment_set::spread: return f.template operator()<moment_set::spread>();
    case moment_set::products: return f.template operator()<moment_set::products>();
    case moment_set::joint: return f.template operator()<moment_set::joint>();
    case moment_set::description: break;
  }
  return f.template operator()<moment_set::description>();
}

}  // namespace multifold::inline v0_1
