// Minimum, maximum and their indices, all as a minimum of order keys: `flip` turns the order round.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "multifold/ops.hpp"
#include "multifold/ops/order_key.hpp"

namespace multifold {

/// Which end is wanted, and what NaN does. Keys pass through `^ flip`, so -1 makes the greatest the least.
template <class Key>
struct key_policy {
  Key flip;
  Key nan_key;  // of the flipped order: the least key to propagate NaN, the greatest to omit it

  MULTIFOLD_HD static constexpr key_policy make(bool greatest, nan_policy nan) {
    return {static_cast<Key>(greatest ? -1 : 0), nan == nan_policy::omit ? greatest_key<Key> : least_key<Key>};
  }
  MULTIFOLD_HD constexpr bool omits_nan() const { return nan_key == greatest_key<Key>; }
  template <storage_type T>
  MULTIFOLD_HD constexpr Key of(T x) const {
    return static_cast<Key>(order_key(x, static_cast<Key>(nan_key ^ flip)) ^ flip);
  }
};

/// A fold that another one with the same accumulators and results stands in for where accumulators meet: of fewer
/// types.
template <class Op>
MULTIFOLD_HD constexpr auto merging(const Op& op) {
  if constexpr (requires { op.merging(); }) return op.merging();
  else return op;
}

/// min or max. NaN propagates as the canonical quiet NaN; -0 is less than +0.
template <storage_type T>
struct extremum {
  using value_type = T;
  using key = key_of<T>;
  using accumulator = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;  // as wide as atomics are
  using lane = key;
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  static constexpr bool order_free = true;
  key_policy<key> policy;

  MULTIFOLD_HD constexpr accumulator identity() const { return greatest_key<key>; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t) const { return policy.of(x); }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return b < a ? b : a; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    const key k = static_cast<key>(a);
    if (floating_storage<T> && (k == least_key<key> || k == greatest_key<key>)) {
      // The least key is a NaN that propagated; the greatest is the identity: nothing but omitted NaN was seen.
      return scalar::of_real(std::numeric_limits<double>::quiet_NaN(), k == least_key<key> ? count : 0);
    }
    return value_of_key<T>(static_cast<key>(k ^ policy.flip), count);
  }

  MULTIFOLD_HD constexpr lane lane_identity() const { return greatest_key<key>; }
  MULTIFOLD_HD constexpr lane absorb(lane l, T x, std::int64_t) const {
    const key k = policy.of(x);
    return k < l ? k : l;
  }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const { return l; }
};

/// An order key and the index of its element. Without padding, since passes copy their partial results as bytes.
template <class Key>
struct indexed_key {
  Key key;
  std::int64_t index;
};
template <>
struct indexed_key<std::int32_t> {
  std::int32_t key;
  std::int32_t unused;
  std::int64_t index;

  indexed_key() = default;
  MULTIFOLD_HD constexpr indexed_key(std::int32_t k, std::int64_t at) : key(k), unused(0), index(at) {}
};

/// argmin or argmax: the first index of what min or max gives, to the sign of a zero: -0 is less than +0 here, too. Of
/// the first NaN if NaN propagates.
template <storage_type T>
struct arg_extremum {
  using value_type = T;
  using key = key_of<T>;
  using accumulator = indexed_key<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;
  static constexpr std::int64_t no_index = INT64_MAX;
  key_policy<key> policy;

  MULTIFOLD_HD constexpr accumulator identity() const { return {greatest_key<key>, no_index}; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t index) const {
    const key k = policy.of(x);
    // An omitted NaN must lose even against the greatest integer there is, so it also gives up its index.
    const bool omitted = floating_storage<T> && k == greatest_key<key>;
    return {k, omitted ? no_index : index};
  }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const {
    const bool second = b.key < a.key || (b.key == a.key && b.index < a.index);
    return second ? b : a;
  }
  /// The same element, in a batch that began `by` elements earlier.
  MULTIFOLD_HD constexpr accumulator moved(accumulator a, std::int64_t by) const {
    return {a.key, a.index == no_index ? no_index : a.index + by};
  }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const {
    if (a.index == no_index) return scalar::failed(scalar::kind::empty, count);
    return scalar::of_integer(a.index, count);
  }
};

}  // namespace multifold
